// Two players share a lamp over UDP. The first one makes it and prints an invite; the second one
// claims the lamp, lights it and leaves.
//     Lamp.exe [INVITE]
using System;
using System.Threading;
using Tern;

[TernType("lamp", ObjectsMax = 10)]
struct Lamp
{
    [TernField(Kind = Kind.Boolean)] public byte Lit;
    [TernField(Kind = Kind.Float32, Count = 3, Min = -100, Max = 100, Step = 0.01)]
    public Place Position; // In Unity a Vector3 would do.
}

struct Place
{
    public float X, Y, Z;
}

static class LampGame
{
    static void Act(Session session, Event happened)
    {
        switch (happened.Kind) {
        case EventKind.CaughtUp: session.Claim(session.Ids<Lamp>()[0]); break;
        case EventKind.ClaimGranted: // The lamp is this player's now.
            Lamp lamp = session.Get<Lamp>(happened.Claim.Object);
            lamp.Lit = 1;
            session.Set(happened.Claim.Object, lamp);
            session.Leave();
            break;
        case EventKind.ClaimRefused:
        case EventKind.PeerLeft:
            if (session.State == State.Open) session.Leave();
            break;
        }
        foreach (Lamp lamp in session.Values<Lamp>())
            Console.WriteLine(happened.Kind + ": the lamp is " + (lamp.Lit == 1 ? "on" : "off"));
    }

    static bool IsRunning(Session session)
    {
        return session.State <= State.Leaving; // A session that is cut off may come back.
    }

    static int Main(string[] arguments)
    {
        bool isHost = arguments.Length == 0;
        var config = new Config { Name = isHost ? "ada" : "ben" };
        using (var socket = new UdpSocket())
        using (var session = new Session(config, typeof(Lamp))) {
            if (isHost) {
                session.Start();
                session.Create(new Lamp { Position = new Place { Y = 2 } });
                Console.WriteLine("invite: " + session.MakeInvite("127.0.0.1:" + socket.Port));
            } else {
                session.Join(arguments[0]);
            }
            while (IsRunning(session)) {
                foreach (Event happened in session.Receive(socket.Receive(), Session.ClockUs))
                    Act(session, happened);
                socket.Send(session.Send(Session.ClockUs));
                Thread.Sleep(5);
            }
            if (session.State == State.Left) {
                Console.WriteLine("well played");
                return 0;
            }
            Console.Error.WriteLine(session.StateText);
            return 1;
        }
    }
}
