// How a C# struct becomes a type of tern: its fields are declared by attributes, and laid out as C#
// lays them out.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Tern
{
    // Options of a replicated struct, as in tern_type of types.h. ObjectsMax 0: it is for calls.
    [AttributeUsage(AttributeTargets.Struct)]
    public sealed class TernTypeAttribute : Attribute
    {
        public readonly string Name;
        public uint ObjectsMax, ClaimCooldownMs, OwnedMax;
        public ushort ClaimsPerSecondMax, CallsPerSecondMax;
        public Orphan Orphan;
        public ClaimPolicy Claim;
        public Callers Callers;
        public bool Predicted;
        public TernTypeAttribute(string name) { Name = name; }
    }

    public enum Kind
    {
        Boolean, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float32, Quaternion,
        Peer, Object, Text, Bytes, Values,
        Deduced = -1 // From the member.
    }

    // A member that is sent. Its name is that of the other side; empty: the member's, with a small
    // first letter. An array is a fixed buffer, a struct of Count numbers such as Vector3 (with its
    // Kind), or the first of Count members in a row.
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class TernFieldAttribute : Attribute
    {
        public readonly string Name;
        public Kind Kind = Kind.Deduced;
        public ushort Count;
        public double Min, Max, Step, Bound;
        public TernFieldAttribute(string name = "") { Name = name; }
    }

    // Memory that the C side reads while a session is made.
    sealed class NativeMemory : IDisposable
    {
        readonly List<IntPtr> _blocks = new List<IntPtr>();

        public unsafe void* Bytes(int size)
        {
            IntPtr block = Marshal.AllocHGlobal(Math.Max(size, 1));
            _blocks.Add(block);
            for (int i = 0; i < size; ++i)
                ((byte*)block)[i] = 0;
            return (void*)block;
        }

        public unsafe byte* Text(string text)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text ?? "");
            var at = (byte*)Bytes(bytes.Length + 1);
            Marshal.Copy(bytes, 0, (IntPtr)at, bytes.Length);
            return at;
        }

        public void Dispose()
        {
            foreach (IntPtr block in _blocks)
                Marshal.FreeHGlobal(block);
            _blocks.Clear();
        }
    }

    static unsafe class TypeTable
    {
        static readonly Dictionary<Type, Kind> Kinds = new Dictionary<Type, Kind>
        {
            { typeof(sbyte), Kind.Int8 }, { typeof(short), Kind.Int16 }, { typeof(int), Kind.Int32 },
            { typeof(long), Kind.Int64 }, { typeof(byte), Kind.Uint8 },
            { typeof(ushort), Kind.Uint16 }, { typeof(uint), Kind.Uint32 },
            { typeof(ulong), Kind.Uint64 }, { typeof(float), Kind.Float32 },
        };

        public static NativeType* Make(Type[] structs, int[] sizes, NativeMemory memory)
        {
            var types = (NativeType*)memory.Bytes(structs.Length * sizeof(NativeType));
            for (int i = 0; i < structs.Length; ++i)
                Fill(ref types[i], structs[i], sizes[i], memory);
            return types;
        }

        static void Fill(ref NativeType type, Type of, int sizeBytes, NativeMemory memory)
        {
            var options = of.GetCustomAttribute<TernTypeAttribute>();
            if (options == null)
                throw new ArgumentException(of.Name + ": expected [TernType(\"name\")] on it");
            List<FieldInfo> fields = FieldsOf(of);
            if (fields.Count == 0)
                throw new ArgumentException(of.Name + " has no member with [TernField]");
            type.Name = memory.Text(options.Name);
            type.SizeBytes = (uint)sizeBytes;
            type.Fields = (NativeField*)memory.Bytes(fields.Count * sizeof(NativeField));
            type.FieldCount = (UIntPtr)fields.Count;
            for (int i = 0; i < fields.Count; ++i)
                Fill(ref type.Fields[i], of, fields[i], memory);
            type.ObjectsMax = options.ObjectsMax;
            type.Orphan = options.Orphan;
            type.Claim = options.Claim;
            type.ClaimCooldownMs = options.ClaimCooldownMs;
            type.OwnedMax = options.OwnedMax;
            type.ClaimsPerSecondMax = options.ClaimsPerSecondMax;
            type.Callers = options.Callers;
            type.CallsPerSecondMax = options.CallsPerSecondMax;
            type.Predicted = (byte)(options.Predicted ? 1 : 0);
        }

        // Gives the members with [TernField], in the order of the struct, which is part of the type.
        static List<FieldInfo> FieldsOf(Type of)
        {
            var fields = new List<FieldInfo>();
            foreach (FieldInfo field in of.GetFields(
                         BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)) {
                // Marshal.OffsetOf() is right for structs that C# lays out as C does.
                Type member = ElementOf(field);
                if (member == typeof(bool) || member == typeof(char))
                    throw new ArgumentException(of.Name + "." + field.Name + " is a " +
                        member.Name + ", which C# does not lay out as C does: expected byte (with " +
                        "Kind.Boolean) or ushort");
                if (!member.IsValueType)
                    throw new ArgumentException(of.Name + "." + field.Name + " is a " +
                        member.Name + ", and a struct of tern has values only: expected for a " +
                        "text [TernField(Kind = Kind.Text)] public fixed byte " + field.Name +
                        "[32]");
                if (field.GetCustomAttribute<TernFieldAttribute>() != null)
                    fields.Add(field);
            }
            fields.Sort((a, b) => Marshal.OffsetOf(of, a.Name).ToInt64().CompareTo(
                                      Marshal.OffsetOf(of, b.Name).ToInt64()));
            return fields;
        }

        static Type ElementOf(FieldInfo info)
        {
            var buffer = info.GetCustomAttribute<FixedBufferAttribute>();
            return buffer != null ? buffer.ElementType : info.FieldType;
        }

        // The bytes of an element of the kind.
        static int SizeOf(Kind kind)
        {
            switch (kind) {
            case Kind.Int16: case Kind.Uint16: case Kind.Peer: return 2;
            case Kind.Int32: case Kind.Uint32: case Kind.Float32: case Kind.Quaternion: return 4;
            case Kind.Int64: case Kind.Uint64: case Kind.Object: return 8;
            default: return 1;
            }
        }

        static void Fill(ref NativeField field, Type of, FieldInfo info, NativeMemory memory)
        {
            var given = info.GetCustomAttribute<TernFieldAttribute>();
            Type member = ElementOf(info);
            var buffer = info.GetCustomAttribute<FixedBufferAttribute>();
            int count = buffer != null ? buffer.Length : given.Count;
            Kind kind = given.Kind;
            if (kind == Kind.Deduced && !Kinds.TryGetValue(member, out kind))
                throw new ArgumentException(of.Name + "." + info.Name + " is a " + member.Name +
                    ": expected an integer, float, a fixed buffer of these, or a Kind and a Count");
            // A plain member is the first of Count in a row; a struct, such as Vector3, has all.
            int numbers = kind == Kind.Quaternion ? 4 : Math.Max(count, 1);
            bool isPlain = buffer != null || member.IsPrimitive || member.IsEnum;
            int inside = isPlain ? 1 : numbers;
            Type number = member.IsEnum ? Enum.GetUnderlyingType(member) : member;
            if (Marshal.SizeOf(number) != SizeOf(kind) * inside)
                throw new ArgumentException(of.Name + "." + info.Name + " is a " + member.Name +
                    " of " + Marshal.SizeOf(number) + " bytes: expected " +
                    SizeOf(kind) * inside + " for Kind." + kind);
            if (kind == Kind.Quaternion && isPlain && count != 4)
                throw new ArgumentException(of.Name + "." + info.Name +
                    ": expected four floats, such as a fixed float[4]");
            string name = given.Name != "" ? given.Name
                : char.ToLowerInvariant(info.Name[0]) + info.Name.Substring(1);
            field.Name = memory.Text(name);
            field.Kind = (int)kind;
            field.OffsetBytes = (ushort)Marshal.OffsetOf(of, info.Name);
            field.Count = (ushort)(kind == Kind.Quaternion ? 1 : count);
            field.Min = given.Min;
            field.Max = given.Max;
            field.Step = given.Step;
            field.Bound = given.Bound;
        }
    }
}
