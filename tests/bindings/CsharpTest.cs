// The C# binding: two sessions over UDP, mistakes, and that ticks make no garbage. Each test prints a
// line; the exit status is the number of tests that failed.
using System;
using System.Threading;
using Tern;

struct Vector
{
    public float X, Y, Z;
}

[TernType("body", ObjectsMax = 2000, Orphan = Orphan.Spread)]
unsafe struct Body
{
    [TernField(Min = -500, Max = 500, Step = 0.01, Count = 3)] public float X;
    public float Y, Z; // The rest of x.
    [TernField(Kind = Kind.Quaternion)] public fixed float Spin[4];
    [TernField(Kind = Kind.Text)] public fixed byte Tag[8];
    [TernField(Kind = Kind.Boolean)] public byte Awake;
    [TernField] public long Score;
    [TernField(Kind = Kind.Float32, Count = 3)] public Vector Speed;
}

[TernType("shout", Callers = Callers.Anybody)]
unsafe struct Shout
{
    [TernField(Kind = Kind.Text)] public fixed byte Words[32];
}

[TernType("length")]
struct Length
{
    [TernField] public int Number;
}

[TernType("twin", ObjectsMax = 10)]
unsafe struct Twin // It has the size of Body.
{
    [TernField(Kind = Kind.Bytes)] public fixed byte Everything[64];
}

[TernType("named", ObjectsMax = 1)]
struct Named
{
    [TernField] public string Name;
}

[TernType("empty", ObjectsMax = 1)]
struct Empty
{
    public float Number;
}

[TernType("wrong", ObjectsMax = 1)]
struct Wrong
{
    [TernField] public double Number;
}

[TernType("narrow", ObjectsMax = 1)]
struct Narrow
{
    [TernField(Kind = Kind.Int64)] public int Number;
}

[TernType("lettered", ObjectsMax = 1)]
struct Lettered
{
    public char Letter;
    [TernField] public byte Number;
}

struct Unmarked
{
    [TernField] public int Number;
}

sealed class Pair : IDisposable
{
    public readonly UdpSocket Here = new UdpSocket(), There = new UdpSocket();
    public readonly Session Host, Guest;

    public Pair()
    {
        Host = new Session(new Config { Name = "ada" }, typeof(Body), typeof(Shout), typeof(Length),
                             typeof(Twin));
        Guest = new Session(new Config { Name = "ben" }, typeof(Body), typeof(Shout), typeof(Length),
                             typeof(Twin));
        Host.Start();
        Guest.Join(Host.MakeInvite("127.0.0.1:" + Here.Port));
        Until(() => Guest.State == State.Open);
    }

    public void Tick(Action<Session, Event> act = null)
    {
        Tick(Host, Here, act);
        Tick(Guest, There, act);
    }

    static void Tick(Session session, UdpSocket socket, Action<Session, Event> act)
    {
        foreach (Event happened in session.Receive(socket.Receive(), Session.ClockUs))
            if (act != null) act(session, happened);
        socket.Send(session.Send(Session.ClockUs));
    }

    public void Until(Func<bool> condition, Action<Session, Event> act = null)
    {
        ulong end = Session.ClockUs + 20000000;
        for (; !condition(); Thread.Sleep(1)) {
            Tick(act);
            if (Session.ClockUs > end) throw new Exception("it did not happen in 20 seconds");
        }
    }

    public void Dispose()
    {
        Host.Dispose();
        Guest.Dispose();
        Here.Dispose();
        There.Dispose();
    }
}

static class CsharpTest
{
    static void Expect(bool condition, string what)
    {
        if (!condition) throw new Exception("expected: " + what);
    }

    static string Thrown(Action wrong)
    {
        try {
            wrong();
        } catch (Exception exception) {
            return exception.GetType().Name + ": " + exception.Message;
        }
        return "nothing was thrown";
    }

    static unsafe Body Make(float x)
    {
        var body = new Body { X = x, Y = -2.345f, Z = 3, Awake = 1, Score = 1L << 40 };
        body.Spin[3] = 1;
        Text.Write(body.Tag, 8, "größe");
        body.Speed = new Vector { X = 1, Y = 2, Z = x };
        return body;
    }

    static unsafe void ValuesOfAllKindsArrive()
    {
        using (var pair = new Pair()) {
            ulong id = pair.Host.Create(Make(1.234f));
            pair.Until(() => pair.Guest.Exists(id));
            Body seen = pair.Guest.Get<Body>(id);
            Expect(Math.Abs(seen.X - 1.23f) < 1e-5 && Math.Abs(seen.Y + 2.35f) < 0.011, "x and y");
            Expect(seen.Z == 3 && seen.Spin[3] == 1 && seen.Awake == 1, "z, spin and awake");
            Expect(Text.Read(seen.Tag, 8) == "größe" && seen.Score == 1L << 40, "tag and score");
            Expect(seen.Speed.X == 1 && seen.Speed.Y == 2 && seen.Speed.Z == 1.234f, "speed");
            Expect(pair.Guest.Sample<Body>(id, Session.ClockUs).Score == 1L << 40, "a sample");
            Expect(pair.Guest.Is<Body>(id) && !pair.Guest.Is<Shout>(id), "its type");
            pair.Until(() => pair.Guest.WorldDigest == pair.Host.WorldDigest);
        }
    }

    static void AClaimMovesTheObject()
    {
        using (var pair = new Pair()) {
            ulong id = pair.Host.Create(Make(1));
            pair.Until(() => pair.Guest.Exists(id));
            pair.Guest.Claim(id);
            pair.Until(() => pair.Guest.MaySet(id));
            Body body = pair.Guest.Get<Body>(id);
            body.X = 77;
            pair.Guest.Set(id, body);
            pair.Until(() => pair.Host.Get<Body>(id).X == 77);
            Expect(pair.Host.Owner(id) == pair.Guest.LocalPeer, "the guest owns it");
        }
    }

    static unsafe void ARequestIsAnswered()
    {
        using (var pair = new Pair()) {
            var shout = new Shout();
            Text.Write(shout.Words, 32, "hello");
            uint asked = pair.Guest.Request(Session.Host, shout, 5000);
            int answer = 0;
            pair.Until(() => answer != 0, (session, happened) => {
                if (happened.Kind == EventKind.Call) {
                    Shout heard = session.Arguments<Shout>(happened.Call);
                    session.Reply(happened.Call,
                                  new Length { Number = Text.Read(heard.Words, 32).Length });
                }
                if (happened.Kind == EventKind.Reply && happened.Call.Id == asked)
                    answer = session.Arguments<Length>(happened.Call).Number;
            });
            Expect(answer == 5, "the length of hello");
        }
    }

    static void MistakesThrowWhatToDo()
    {
        using (var pair = new Pair()) {
            ulong id = pair.Host.Create(Make(1));
            pair.Until(() => pair.Guest.Exists(id));
            Expect(Thrown(() => pair.Guest.Set(id, Make(2))).Contains("belongs to peer 1"), "owner");
            Expect(Thrown(() => pair.Host.Start()).Contains("has begun before"), "begun");
            Expect(Thrown(() => pair.Host.Join("tern1-abc")).Contains("cut short"), "cut short");
            Expect(Thrown(() => pair.Host.MakeInvite("here")).Contains("is no address"), "address");
            Expect(Thrown(() => new UdpSocket(pair.Here.Port)).Contains("Another socket"), "port");
            Expect(Thrown(() => pair.Host.Join("no")).StartsWith("FormatException"), "format");
            const string twin = "is a Body, and not a Twin";
            Expect(Thrown(() => pair.Host.Set(id, new Twin())).Contains("Set(): Object 1.1 " + twin),
                   "Set with another struct");
            Expect(Thrown(() => pair.Host.Get<Twin>(id)).Contains(twin), "Get another struct");
            Expect(Thrown(() => pair.Host.Sample<Twin>(id, 0)).Contains(twin), "Sample another");
            Expect(pair.Host.Get<Body>(id).X == 1, "that it has not changed");
            Expect(pair.Host.OtherPeers.Length == 1 && pair.Host.OtherPeers[0] == 2, "the guest");
            Expect(pair.Host.CreationsLeft<Body>() > 0, "room");
            pair.Tick();
            pair.Guest.Dispose();
            Expect(Thrown(() => pair.Guest.Leave()).Contains("disposed object"), "disposed");
        }
        Expect(Thrown(() => new Session(new Config(), typeof(Wrong))).Contains("is a Double"), "double");
        Expect(Thrown(() => new Session(new Config(), typeof(Narrow))).Contains("expected 8"), "size");
        Expect(Thrown(() => new Session(new Config(), typeof(Lettered)))
                   .Contains("Letter is a Char"), "char");
        Expect(Thrown(() => new Session(new Config(), typeof(Named)))
                   .Contains("public fixed byte Name[32]"), "string");
        Expect(Thrown(() => new Session(new Config(), typeof(Empty)))
                   .Contains("Empty has no member with [TernField]"), "no fields");
        Expect(Thrown(() => new Session(new Config(), typeof(Unmarked))).Contains("[TernType"), "mark");
        Expect(Thrown(() => new Session(new Config { PeersMax = 99 }, typeof(Body)))
                   .Contains("peers_max 99"), "peers_max");
    }

    static void TicksMakeNoGarbage()
    {
        using (var pair = new Pair()) {
            var ids = new ulong[1000];
            var bodies = new Body[1000];
            for (int i = 0; i < 1000; ++i)
                ids[i] = pair.Host.Create(bodies[i] = Make(i / 10f));
            pair.Until(() => pair.Guest.Ids<Body>().Length == 1000);
            long before = 0;
            double sum = 0;
            for (int tick = 0; tick < 200; ++tick) {
                if (tick == 100) before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < 1000; ++i)
                    bodies[i].X = (i + tick) / 10f;
                pair.Host.SetMany<Body>(ids, bodies);
                pair.Tick();
                foreach (Body body in pair.Guest.Values<Body>())
                    sum += body.X;
                Thread.Sleep(1);
            }
            long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
            Expect(sum > 0, "bodies that move");
            Expect(bytes == 0, "no garbage in 100 ticks, not " + bytes + " bytes");
        }
    }

    static int Main()
    {
        int failed = 0;
        foreach (Action test in new Action[] { ValuesOfAllKindsArrive, AClaimMovesTheObject,
                                               ARequestIsAnswered, MistakesThrowWhatToDo,
                                               TicksMakeNoGarbage }) {
            string wrong = Thrown(test);
            bool passed = wrong == "nothing was thrown";
            Console.WriteLine((passed ? "passed: " : "FAILED: ") + test.Method.Name +
                              (passed ? "" : ": " + wrong));
            failed += passed ? 0 : 1;
        }
        return failed;
    }
}
