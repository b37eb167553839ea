// A session, and the UDP socket. Nothing of a tick makes garbage: events, objects and datagrams are
// read from tern's own memory. What is returned is valid until the function is called again, and
// what is of objects until they change in number.
using System;
using System.Runtime.InteropServices;
using System.Text;

#if !UNITY_5_3_OR_NEWER
namespace AOT
{
    // Unity's ahead-of-time compiler wants it on functions that C calls.
    [AttributeUsage(AttributeTargets.Method)]
    sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        public MonoPInvokeCallbackAttribute(Type of) { }
    }
}
#endif

namespace Tern
{
    // A function did not do what it was called for.
    public class TernException : Exception
    {
        public readonly Result Result;
        public unsafe TernException(Result result, string text = null)
            : base(text ?? Text.Read(Native.tern_result_text(result)))
        {
            Result = result;
        }
    }

    // A call that the game must not make, with a sentence that says what to do.
    public sealed class MisuseException : TernException
    {
        public MisuseException(string text) : base(Result.Misuse, text) { }
    }

    public static unsafe class Text
    {
        public static string Read(byte* text, int max = int.MaxValue)
        {
            if (text == null) return "";
            int length = 0;
            while (length < max && text[length] != 0)
                length += 1;
            return Encoding.UTF8.GetString(text, length);
        }

        // Writes at most max - 1 bytes and zeros, into a fixed buffer.
        public static void Write(byte* to, int max, string text)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            for (int i = 0; i < max; ++i)
                to[i] = i < bytes.Length && i < max - 1 ? bytes[i] : (byte)0;
        }
    }

    // The bytes of a struct, for the C side.
    static class Raw
    {
        public static Span<byte> Of<T>(ref T value) where T : struct
        {
            return MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1));
        }
    }

    // A non-blocking UDP socket, bound to all interfaces. Port 0: any free one.
    public sealed unsafe class UdpSocket : IDisposable
    {
        IntPtr _memory;

        IntPtr _handle
        {
            get
            {
                if (_memory == IntPtr.Zero) throw new ObjectDisposedException("UdpSocket");
                return _memory;
            }
        }

        public UdpSocket(ushort port = 0, bool ipv6 = false)
        {
            IntPtr handle;
            Result result = Native.tern_make_udp_socket(port, (byte)(ipv6 ? 1 : 0), &handle);
            if (result != Result.Ok) throw new TernException(result);
            _memory = handle;
        }

        public ushort Port { get { return Native.tern_socket_port(_handle); } }

        public ReadOnlySpan<Datagram> Receive()
        {
            Datagram* first;
            int count = (int)Native.tern_socket_receive(_handle, &first);
            return new ReadOnlySpan<Datagram>(first, count);
        }

        public void Send(ReadOnlySpan<Datagram> datagrams)
        {
            fixed (Datagram* first = &MemoryMarshal.GetReference(datagrams))
                Native.tern_socket_send(_handle, first, (UIntPtr)datagrams.Length);
        }

        public void Dispose()
        {
            if (_memory != IntPtr.Zero) Native.tern_destroy_socket(_memory);
            _memory = IntPtr.Zero;
        }
    }

    public sealed class Config
    {
        public string Name = "";
        public ushort PeersMax;
        public Topology Topology;
        public Quorum Quorum;
        public Admission Admission;
        public Misbehaviour Misbehaviour;
        public uint SendBytesPerSecondMax, BridgeBytesPerSecondMax, ForwardBytesPerSecondMax;
        public uint TimeoutMs, JoinTimeoutMs, GoOnAfterMs;
    }

    // The first misuse since the last check.
    sealed class Misuses
    {
        public string First;
    }

    // This process's peer of one session.
    public sealed unsafe class Session : IDisposable
    {
        public const ushort Host = 0xfffe, Everyone = 0xffff, NoPeer = 0;
        public const ulong NoObject = 0;

        IntPtr _memory;
        readonly Type[] _types;
        // The C side keeps the function's address. Ahead-of-time compilers take static ones only.
        static readonly MisuseHandler Handler = NoteMisuse;
        readonly Misuses _misuses = new Misuses();
        GCHandle _misusesHandle; // The C side passes it to the function.

        IntPtr _handle
        {
            get
            {
                if (_memory == IntPtr.Zero) throw new ObjectDisposedException("Session");
                return _memory;
            }
        }

        public static ulong ClockUs { get { return Native.tern_clock_us(); } }
        public static string Version { get { return Text.Read(Native.tern_version()); } }

        // Types: structs with [TernType], equal on all peers.
        public Session(Config config, params Type[] types)
        {
            _types = types;
            var sizes = new int[types.Length];
            for (int i = 0; i < types.Length; ++i)
                sizes[i] = Marshal.SizeOf(types[i]);
            using (var memory = new NativeMemory()) {
                NativeConfig native = Fill(config, memory);
                native.Types = TypeTable.Make(types, sizes, memory);
                native.TypeCount = (UIntPtr)types.Length;
                _misusesHandle = GCHandle.Alloc(_misuses);
                native.MisuseUser = GCHandle.ToIntPtr(_misusesHandle);
                IntPtr handle;
                Result result = Native.tern_make_session(&native, &handle);
                if (result != Result.Ok) {
                    var problem = (byte*)memory.Bytes(256);
                    Native.tern_config_problem(&native, problem);
                    _misusesHandle.Free();
                    throw new TernException(result, problem[0] != 0 ? Text.Read(problem) : null);
                }
                _memory = handle;
            }
        }

        NativeConfig Fill(Config config, NativeMemory memory)
        {
            var native = new NativeConfig();
            native.StructSize = (uint)sizeof(NativeConfig);
            native.TypeBytes = (uint)sizeof(NativeType);
            native.FieldBytes = (uint)sizeof(NativeField);
            native.Name = memory.Text(config.Name);
            native.PeersMax = config.PeersMax;
            native.Topology = config.Topology;
            native.Quorum = config.Quorum;
            native.Admission = config.Admission;
            native.Misbehaviour = config.Misbehaviour;
            native.SendBytesPerSecondMax = config.SendBytesPerSecondMax;
            native.BridgeBytesPerSecondMax = config.BridgeBytesPerSecondMax;
            native.ForwardBytesPerSecondMax = config.ForwardBytesPerSecondMax;
            native.TimeoutMs = config.TimeoutMs;
            native.JoinTimeoutMs = config.JoinTimeoutMs;
            native.GoOnAfterMs = config.GoOnAfterMs;
            native.MisuseHandle = Marshal.GetFunctionPointerForDelegate(Handler);
            return native;
        }

        // Destroys the session without a goodbye; see Leave().
        public void Dispose()
        {
            if (_memory == IntPtr.Zero) return;
            Native.tern_destroy_session(_memory);
            _memory = IntPtr.Zero;
            _misusesHandle.Free();
        }

        [AOT.MonoPInvokeCallback(typeof(MisuseHandler))]
        static void NoteMisuse(IntPtr user, NativeMisuse* misuse)
        {
            var misuses = (Misuses)GCHandle.FromIntPtr(user).Target;
            if (misuses.First != null) return;
            misuses.First = Text.Read(misuse->Function) + "(): " + Text.Read(misuse->Wrong) + " " +
                Text.Read(misuse->Remedy);
        }

        // Throws what the handler has noted.
        void Check()
        {
            if (_misuses.First == null) return;
            string text = _misuses.First;
            _misuses.First = null;
            throw new MisuseException(text);
        }

        T Checked<T>(T value)
        {
            Check();
            return value;
        }

        void Done(Result result)
        {
            Check();
            if (result != Result.Ok) throw new TernException(result);
        }

        ushort NumberOf(Type of)
        {
            for (int i = 0; i < _types.Length; ++i)
                if (_types[i] == of) return (ushort)i;
            throw new ArgumentException(of.Name + " is no type of this session");
        }

        // --- Beginning, end, ticks ---

        public void Start() { Done(Native.tern_start(_handle)); }

        // Joins by the text of an invite, or throws FormatException. CaughtUp follows, or a state
        // that StateText explains. The payload, at most 256 bytes, goes to the host's game.
        public void Join(string invite, ReadOnlySpan<byte> payload = default)
        {
            byte[] text = Encoding.UTF8.GetBytes(invite + "\0");
            Invite parsed;
            fixed (byte* at = text) {
                byte* wrong = Native.tern_parse_invite(at, &parsed);
                if (wrong != null) throw new FormatException("the invite: " + Text.Read(wrong));
            }
            fixed (byte* at = &MemoryMarshal.GetReference(payload))
                Done(Native.tern_join(_handle, &parsed, at, (UIntPtr)payload.Length));
        }

        // Keep calling Receive() and Send() until the state is Left.
        public void Leave() { Done(Native.tern_leave(_handle)); }
        public void GoOn() { Done(Native.tern_go_on(_handle)); }
        public State State { get { return Checked(Native.tern_session_state(_handle)); } }
        public string StateText
        {
            get { return Checked(Text.Read(Native.tern_state_text(_handle))); }
        }

        // A tick begins.
        public ReadOnlySpan<Event> Receive(ReadOnlySpan<Datagram> datagrams, ulong nowUs)
        {
            fixed (Datagram* at = &MemoryMarshal.GetReference(datagrams))
                Done(Native.tern_receive(_handle, at, (UIntPtr)datagrams.Length, nowUs));
            Event* first;
            int count = (int)Native.tern_events(_handle, &first);
            return new ReadOnlySpan<Event>(first, count);
        }

        // A tick ends: these are to be sent.
        public ReadOnlySpan<Datagram> Send(ulong nowUs)
        {
            Datagram* first;
            int count = (int)Native.tern_send(_handle, nowUs, &first);
            Check();
            return new ReadOnlySpan<Datagram>(first, count);
        }

        // --- Invites and peers ---

        // At addresses such as "192.168.1.5:7777", 1 to 4.
        public string MakeInvite(params string[] addresses)
        {
            var array = stackalloc Address[4];
            if (addresses.Length < 1 || addresses.Length > 4)
                throw new ArgumentException("an invite has 1 to 4 addresses");
            for (int i = 0; i < addresses.Length; ++i)
                fixed (byte* text = Encoding.UTF8.GetBytes(addresses[i] + "\0"))
                    if (Native.tern_parse_address(text, &array[i]) != Result.Ok)
                        throw new FormatException("\"" + addresses[i] +
                            "\" is no address: expected 1.2.3.4:7777 or [::1]:7777");
            Invite invite;
            Done(Native.tern_make_invite(_handle, array, (UIntPtr)addresses.Length, &invite));
            var printed = stackalloc byte[256];
            Native.tern_invite_text(&invite, printed);
            return Text.Read(printed);
        }

        public ushort LocalPeer { get { return Checked(Native.tern_local_peer(_handle)); } }
        public ushort HostPeer { get { return Checked(Native.tern_host_peer(_handle)); } }
        public string PeerName(ushort peer)
        {
            return Checked(Text.Read(Native.tern_peer_name(_handle, peer)));
        }
        // The span is valid until the next Receive().
        public ReadOnlySpan<ushort> OtherPeers
        {
            get
            {
                ushort* peers;
                int count = (int)Native.tern_other_peers(_handle, &peers);
                Check();
                return new ReadOnlySpan<ushort>(peers, count);
            }
        }
        public void Admit(ushort newcomer) { Done(Native.tern_admit(_handle, newcomer)); }
        public void Refuse(ushort newcomer, string reason)
        {
            fixed (byte* text = Encoding.UTF8.GetBytes(reason + "\0"))
                Done(Native.tern_refuse(_handle, newcomer, text));
        }
        public void Remove(ushort peer) { Done(Native.tern_remove(_handle, peer)); }

        // --- Objects ---

        public ulong Create<T>(T value) where T : struct
        {
            ulong id;
            Span<byte> bytes = Raw.Of(ref value);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_create(_handle, NumberOf(typeof(T)), at, (UIntPtr)bytes.Length,
                                        &id));
            return id;
        }

        // Gives how many objects of the type Create() can make now; it asks the host for more.
        public uint CreationsLeft<T>() where T : struct
        {
            return Checked(Native.tern_creations_left(_handle, NumberOf(typeof(T))));
        }
        public void Destroy(ulong id) { Done(Native.tern_destroy(_handle, id)); }
        public bool Exists(ulong id) { return Checked(Native.tern_exists(_handle, id) != 0); }
        public ushort Owner(ulong id) { return Checked(Native.tern_object_owner(_handle, id)); }
        public bool MaySet(ulong id) { return Checked(Native.tern_may_set(_handle, id) != 0); }

        public bool Is<T>(ulong id) where T : struct
        {
            ushort type;
            void* value = Native.tern_find_value(_handle, id, &type);
            Check();
            return value != null && type == NumberOf(typeof(T));
        }

        // The C side knows a struct by its size only. Values() reads many without this.
        void CheckStruct<T>(string function, ulong id) where T : struct
        {
            ushort type, wanted = NumberOf(typeof(T));
            void* value = Native.tern_find_value(_handle, id, &type);
            Check();
            if (value != null && type != wanted)
                throw new MisuseException(function + "(): Object " + ObjectText(id) + " is a " +
                    _types[type].Name + ", and not a " + typeof(T).Name +
                    ". Is<T>() says whether an object has it.");
        }

        // An object as logs of tern name it, such as "1.12".
        public static string ObjectText(ulong id) { return (id >> 32) + "." + (uint)id; }

        // A copy of the object's struct.
        public T Get<T>(ulong id) where T : struct
        {
            T value = default(T);
            CheckStruct<T>("Get", id);
            Span<byte> bytes = Raw.Of(ref value);
            void* at = Native.tern_get(_handle, id, (UIntPtr)bytes.Length);
            Check();
            if (at == null) throw new TernException(Result.Gone);
            new ReadOnlySpan<byte>(at, bytes.Length).CopyTo(bytes);
            return value;
        }

        // The struct as of atUs for drawing, on the clock of Receive(), between two updates.
        public T Sample<T>(ulong id, ulong atUs) where T : struct
        {
            T value = default(T);
            CheckStruct<T>("Sample", id);
            Span<byte> bytes = Raw.Of(ref value);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_sample(_handle, id, atUs, at, (UIntPtr)bytes.Length));
            return value;
        }

        public void Set<T>(ulong id, T value) where T : struct
        {
            CheckStruct<T>("Set", id);
            Span<byte> bytes = Raw.Of(ref value);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_set(_handle, id, at, (UIntPtr)bytes.Length));
        }

        // All objects of a type, and their structs in the same order: one call for an engine that
        // reads them in each tick. Both are tern's own memory, valid until the next Receive() or
        // Create(). An object that was destroyed stays until the next Receive(): see Exists().
        public ReadOnlySpan<ulong> Ids<T>() where T : struct
        {
            ulong* ids;
            int count = (int)Native.tern_object_ids(_handle, NumberOf(typeof(T)), &ids);
            Check();
            return new ReadOnlySpan<ulong>(ids, count);
        }

        public ReadOnlySpan<T> Values<T>() where T : struct
        {
            T one = default(T);
            ulong* ids;
            ushort type = NumberOf(typeof(T));
            int count = (int)Native.tern_object_ids(_handle, type, &ids);
            var size = (UIntPtr)Raw.Of(ref one).Length;
            void* values = Native.tern_object_values(_handle, type, size);
            Check();
            return new ReadOnlySpan<T>(values, values == null ? 0 : count);
        }

        public void SetMany<T>(ReadOnlySpan<ulong> ids, ReadOnlySpan<T> values) where T : struct
        {
            if (ids.Length != values.Length)
                throw new ArgumentException(ids.Length + " ids and " + values.Length + " values");
            ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(values);
            fixed (ulong* id = &MemoryMarshal.GetReference(ids))
            fixed (byte* value = &MemoryMarshal.GetReference(bytes))
                Native.tern_set_many(_handle, NumberOf(typeof(T)), id, (UIntPtr)ids.Length, value,
                                     (UIntPtr)bytes.Length);
            Check();
        }

        public void SetMany<T>(ulong[] ids, T[] values) where T : struct
        {
            SetMany<T>(new ReadOnlySpan<ulong>(ids), new ReadOnlySpan<T>(values));
        }

        public void Claim(ulong id, ClaimMode mode = ClaimMode.Wait)
        {
            Done(Native.tern_claim(_handle, id, mode));
        }
        public bool IsClaiming(ulong id)
        {
            return Checked(Native.tern_is_claiming(_handle, id) != 0);
        }
        public void Release(ulong id) { Done(Native.tern_release_ownership(_handle, id)); }
        public void Lock(ulong id, bool locked)
        {
            Done(Native.tern_lock(_handle, id, (byte)(locked ? 1 : 0)));
        }
        public void Migrate(ulong id, ushort to) { Done(Native.tern_migrate(_handle, id, to)); }
        public void RefuseClaim(ulong id, ushort claimer)
        {
            Done(Native.tern_refuse_claim(_handle, id, claimer));
        }
        public ulong WorldDigest { get { return Checked(Native.tern_world_digest(_handle)); } }

        // --- Calls ---

        // `to`: a peer, Session.Everyone (all others) or Session.Host.
        public void Call<T>(ushort to, T arguments,
                            Reliability reliability = Reliability.Reliable) where T : struct
        {
            Span<byte> bytes = Raw.Of(ref arguments);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_call(_handle, to, NumberOf(typeof(T)), at, (UIntPtr)bytes.Length,
                                      reliability));
        }

        public uint CallOwner<T>(ulong id, T arguments) where T : struct
        {
            uint call;
            Span<byte> bytes = Raw.Of(ref arguments);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_call_owner(_handle, id, NumberOf(typeof(T)), at,
                                            (UIntPtr)bytes.Length, &call));
            return call;
        }

        // A call that awaits a reply: an event Reply or CallFailed with this id.
        public uint Request<T>(ushort to, T arguments, uint timeoutMs) where T : struct
        {
            uint call;
            Span<byte> bytes = Raw.Of(ref arguments);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_request(_handle, to, NumberOf(typeof(T)), at,
                                         (UIntPtr)bytes.Length, timeoutMs, &call));
            return call;
        }

        public uint RequestOwner<T>(ulong id, T arguments, uint timeoutMs) where T : struct
        {
            uint call;
            Span<byte> bytes = Raw.Of(ref arguments);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_request_owner(_handle, id, NumberOf(typeof(T)), at,
                                               (UIntPtr)bytes.Length, timeoutMs, &call));
            return call;
        }

        public void Reply<T>(CallMade call, T arguments) where T : struct
        {
            Span<byte> bytes = Raw.Of(ref arguments);
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Done(Native.tern_reply(_handle, call.Peer, call.Id, NumberOf(typeof(T)), at,
                                       (UIntPtr)bytes.Length));
        }

        // Whether a call, reply or failed call has arguments of this type.
        public bool Has<T>(CallMade call) where T : struct
        {
            return call.Arguments != null && call.Type == NumberOf(typeof(T));
        }

        public T Arguments<T>(CallMade call) where T : struct
        {
            if (!Has<T>(call)) throw new ArgumentException("the call has no " + typeof(T).Name);
            return new ReadOnlySpan<T>(call.Arguments, 1)[0];
        }

        public static string RefusalText(ClaimRefusal refusal)
        {
            return Text.Read(Native.tern_claim_refusal_text(refusal));
        }
        public static string FailureText(CallFailure failure)
        {
            return Text.Read(Native.tern_call_failure_text(failure));
        }
    }
}
