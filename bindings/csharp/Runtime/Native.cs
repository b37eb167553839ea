// The structs and functions of tern/types.h and tern/tern.h. All structs are blittable.
using System;
using System.Runtime.InteropServices;

namespace Tern
{
    public enum Result
    {
        Ok = 0, Misuse = -1, CutOff = -2, NoRoom = -3, Gone = -4, NotAllowed = -5, BadConfig = -6,
        BadText = -7, NoMemory = -8, PortInUse = -9, NotPermitted = -10, NoSuchFamily = -11,
        System = -12
    }

    public enum State
    {
        Idle, Joining, Open, CutOff, Leaving, Left, Unreachable, RefusedFull, RefusedTypes,
        RefusedVersion, RefusedSecret, RefusedByGame, Removed, Overflow
    }

    public enum Topology { Mesh, Star }
    public enum Quorum { Majority, Survivors }
    public enum Admission { Always, AskGame }
    public enum Misbehaviour { Remove, AskGame }
    public enum Orphan { ToHost, Destroy, Spread, AskGame, Hold }
    public enum ClaimPolicy { Always, AskGame, Never }
    public enum Callers { Anybody, Host, Owner }
    public enum ClaimMode { Wait, Optimistic }
    public enum Reliability { Reliable, Unreliable }
    public enum ClaimRefusal
    {
        None, Dead, Unknown, Policy, ByGame, Overtaken, Locked, Cooldown, Quota
    }

    public enum CallFailure { None, Dead, Unknown, NotAllowed, Lost, NoReply }

    public enum EventKind
    {
        JoinProgress, CaughtUp, JoinAsked, PeerJoined, PeerLeft, Misbehaved, HostLost, HostChanged,
        ObjectCreated, ObjectChanged, ObjectDestroyed, ObjectHidden, ObjectShown, OwnerChanged,
        ObjectOrphaned, ClaimAsked, ClaimGranted, ClaimRefused, Call, Reply, CallFailed
    }

    // --- Structs ---

    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Address
    {
        public fixed byte Ip[16]; // IPv6, or IPv4 as ::ffff:a.b.c.d.
        public ushort Port;
    }

    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Invite
    {
        public ulong Session;
        public fixed byte Key[32];
        public fixed byte Secret[32];
        public byte AddressCount;
        public Address Address0, Address1, Address2, Address3;
    }

    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Datagram
    {
        public Address Address;
        public byte* Bytes;
        public UIntPtr SizeBytes;
    }

    public struct Progress
    {
        public uint ObjectsHere, ObjectsExpected;
    }

    public unsafe struct Newcomer
    {
        public ushort Peer, Previous, PayloadBytes;
        public byte* Name;
        public byte* Payload;
    }

    public struct Misbehaved
    {
        public ushort Peer, Reporter;
        public int Breach;
    }

    public struct HostChange
    {
        public ushort Peer, Previous;
    }

    public struct ObjectChange
    {
        public ulong Id, ChangedFields; // Bit i: field i of the type.
        public ushort Type, Owner;
    }

    public struct OwnerChange
    {
        public ulong Object, ChangedFields;
        public uint LostTicks;
        public ushort Type, Owner, Previous;
    }

    public struct ClaimAnswer
    {
        public ulong Object;
        public ushort Type, Claimer;
        public ClaimRefusal Refusal;
    }

    public unsafe struct CallMade
    {
        public ulong Object;
        public byte* Arguments;
        public uint Id;
        public CallFailure Failure;
        public ushort ArgumentBytes, Type, Peer;
    }

    // The kind says which member is set; tern.h lists them. Skip kinds that you do not know.
    [StructLayout(LayoutKind.Explicit, Size = 64)]
    public struct Event
    {
        [FieldOffset(0)] public EventKind Kind;
        [FieldOffset(8)] public ushort Peer;
        [FieldOffset(8)] public Progress Progress;
        [FieldOffset(8)] public Newcomer Newcomer;
        [FieldOffset(8)] public Misbehaved Misbehaved;
        [FieldOffset(8)] public HostChange Host;
        [FieldOffset(8)] public ObjectChange Object;
        [FieldOffset(8)] public OwnerChange Owner;
        [FieldOffset(8)] public ClaimAnswer Claim;
        [FieldOffset(8)] public CallMade Call;
    }

    [StructLayout(LayoutKind.Sequential)]
    unsafe struct NativeField
    {
        public byte* Name;
        public int Kind;
        public ushort OffsetBytes, Count;
        public double Min, Max, Step, Bound;
    }

    [StructLayout(LayoutKind.Sequential)]
    unsafe struct NativeType
    {
        public byte* Name;
        public uint SizeBytes;
        public NativeField* Fields;
        public UIntPtr FieldCount;
        public uint ObjectsMax;
        public Orphan Orphan;
        public ClaimPolicy Claim;
        public uint ClaimCooldownMs, OwnedMax;
        public ushort ClaimsPerSecondMax;
        public Callers Callers;
        public ushort CallsPerSecondMax;
        public byte Predicted;
    }

    [StructLayout(LayoutKind.Sequential)]
    unsafe struct NativeMisuse
    {
        public byte* Function;
        public byte* Wrong;
        public byte* Remedy;
        public ulong Object;
        public ushort Owner;
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    unsafe delegate void MisuseHandler(IntPtr user, NativeMisuse* misuse);

    [StructLayout(LayoutKind.Sequential)]
    unsafe struct NativeConfig
    {
        public uint StructSize, TypeBytes, FieldBytes;
        public NativeType* Types;
        public UIntPtr TypeCount;
        public ushort PeersMax;
        public Admission Admission;
        public Misbehaviour Misbehaviour;
        public Quorum Quorum;
        public Topology Topology;
        public byte* Name;
        public uint SendBytesPerSecondMax, BridgeBytesPerSecondMax, ForwardBytesPerSecondMax;
        public uint TimeoutMs, JoinTimeoutMs, GoOnAfterMs, RecordingBytesMax;
        public IntPtr ParallelForEach, ParallelUser;
        public uint ParallelParts;
        public IntPtr MisuseHandle, MisuseUser;
        public IntPtr Allocate, Release, AllocatorUser;
        public IntPtr LogLine, LogUser;
        public IntPtr CrashHandle, CrashUser;
    }

    // --- Functions ---

    static unsafe class Native
    {
#if UNITY_IOS && !UNITY_EDITOR
        const string Library = "__Internal";
#else
        const string Library = "tern_c";
#endif
        const CallingConvention C = CallingConvention.Cdecl;

        [DllImport(Library, CallingConvention = C)]
        public static extern byte* tern_version();
        [DllImport(Library, CallingConvention = C)]
        public static extern byte* tern_result_text(Result result);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_config_problem(NativeConfig* config, byte* problem);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_make_session(NativeConfig* config, IntPtr* session);
        [DllImport(Library, CallingConvention = C)]
        public static extern void tern_destroy_session(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_start(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_join(IntPtr session, Invite* invite, byte* payload,
                                              UIntPtr payloadBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_leave(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_go_on(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern State tern_session_state(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte* tern_state_text(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_receive(IntPtr session, Datagram* datagrams, UIntPtr count,
                                                 ulong nowUs);
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr tern_events(IntPtr session, Event** events);
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr tern_send(IntPtr session, ulong nowUs, Datagram** datagrams);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_make_invite(IntPtr session, Address* addresses,
                                                     UIntPtr count, Invite* invite);
        [DllImport(Library, CallingConvention = C)]
        public static extern void tern_invite_text(Invite* invite, byte* text);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte* tern_parse_invite(byte* text, Invite* invite);
        [DllImport(Library, CallingConvention = C)]
        public static extern ushort tern_local_peer(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern ushort tern_host_peer(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr tern_other_peers(IntPtr session, ushort** peers);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte* tern_peer_name(IntPtr session, ushort peer);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_admit(IntPtr session, ushort newcomer);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_refuse(IntPtr session, ushort newcomer, byte* reason);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_remove(IntPtr session, ushort peer);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_migrate(IntPtr session, ulong id, ushort to);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_refuse_claim(IntPtr session, ulong id, ushort claimer);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_create(IntPtr session, ushort type, void* value,
                                                UIntPtr sizeBytes, ulong* id);
        [DllImport(Library, CallingConvention = C)]
        public static extern uint tern_creations_left(IntPtr session, ushort type);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_destroy(IntPtr session, ulong id);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte tern_exists(IntPtr session, ulong id);
        [DllImport(Library, CallingConvention = C)]
        public static extern void* tern_find_value(IntPtr session, ulong id, ushort* type);
        [DllImport(Library, CallingConvention = C)]
        public static extern ushort tern_object_owner(IntPtr session, ulong id);
        [DllImport(Library, CallingConvention = C)]
        public static extern void* tern_get(IntPtr session, ulong id, UIntPtr sizeBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_set(IntPtr session, ulong id, void* value,
                                             UIntPtr sizeBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte tern_may_set(IntPtr session, ulong id);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_sample(IntPtr session, ulong id, ulong atUs, void* value,
                                                UIntPtr sizeBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr tern_object_ids(IntPtr session, ushort type, ulong** ids);
        [DllImport(Library, CallingConvention = C)]
        public static extern void* tern_object_values(IntPtr session, ushort type,
                                                      UIntPtr sizeBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_claim(IntPtr session, ulong id, ClaimMode mode);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte tern_is_claiming(IntPtr session, ulong id);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_release_ownership(IntPtr session, ulong id);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_lock(IntPtr session, ulong id, byte locked);
        [DllImport(Library, CallingConvention = C)]
        public static extern ulong tern_world_digest(IntPtr session);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte* tern_claim_refusal_text(ClaimRefusal refusal);
        [DllImport(Library, CallingConvention = C)]
        public static extern byte* tern_call_failure_text(CallFailure failure);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_call(IntPtr session, ushort to, ushort type,
                                              void* arguments, UIntPtr sizeBytes,
                                              Reliability reliability);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_call_owner(IntPtr session, ulong id, ushort type,
                                                    void* arguments, UIntPtr sizeBytes, uint* call);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_request(IntPtr session, ushort to, ushort type,
                                                 void* arguments, UIntPtr sizeBytes, uint timeoutMs,
                                                 uint* call);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_reply(IntPtr session, ushort caller, uint call,
                                               ushort type, void* arguments, UIntPtr sizeBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_make_udp_socket(ushort port, byte ipv6, IntPtr* socket);
        [DllImport(Library, CallingConvention = C)]
        public static extern void tern_destroy_socket(IntPtr socket);
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr tern_socket_receive(IntPtr socket, Datagram** datagrams);
        [DllImport(Library, CallingConvention = C)]
        public static extern void tern_socket_send(IntPtr socket, Datagram* datagrams,
                                                   UIntPtr count);
        [DllImport(Library, CallingConvention = C)]
        public static extern ushort tern_socket_port(IntPtr socket);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_parse_address(byte* text, Address* address);
        [DllImport(Library, CallingConvention = C)]
        public static extern ulong tern_clock_us();
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr tern_set_many(IntPtr session, ushort type, ulong* ids,
                                                   UIntPtr count, void* values,
                                                   UIntPtr valuesBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern Result tern_request_owner(IntPtr session, ulong id, ushort type,
                                                       void* arguments, UIntPtr sizeBytes,
                                                       uint timeoutMs, uint* call);
    }
}
