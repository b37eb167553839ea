// A guest of examples/meet.cpp: takes the ball, throws it to (3, 4), cheers, and leaves.
//     Meet.exe INVITE
using System;
using System.Threading;
using Tern;

[TernType("ball", ObjectsMax = 10)]
struct Ball
{
    [TernField(Min = -100, Max = 100, Step = 0.01)] public float X;
    [TernField(Min = -100, Max = 100, Step = 0.01)] public float Y;
    [TernField] public ushort Touches;
}

[TernType("cheer")]
unsafe struct Cheer
{
    [TernField(Kind = Kind.Text)] public fixed byte Words[32];
}

[TernType("thanks")]
struct Thanks
{
    [TernField] public int Touches;
}

static class Meet
{
    static string _failure = "";

    static unsafe void Act(Session session, Event happened)
    {
        switch (happened.Kind) {
        case EventKind.CaughtUp: session.Claim(session.Ids<Ball>()[0]); break;
        case EventKind.ClaimGranted:
            ulong ball = happened.Claim.Object;
            int touches = session.Get<Ball>(ball).Touches;
            session.Set(ball, new Ball { X = 3, Y = 4, Touches = (ushort)(touches + 1) });
            var cheer = new Cheer();
            Text.Write(cheer.Words, 32, "hurray");
            session.Request(Session.Host, cheer, 5000);
            break;
        case EventKind.Reply:
            Console.WriteLine("thanks for touch " +
                              session.Arguments<Thanks>(happened.Call).Touches);
            session.Leave();
            break;
        case EventKind.ClaimRefused: _failure = Session.RefusalText(happened.Claim.Refusal); break;
        case EventKind.CallFailed: _failure = Session.FailureText(happened.Call.Failure); break;
        }
    }

    static int Main(string[] arguments)
    {
        if (arguments.Length != 1) {
            Console.Error.WriteLine("expected: Meet.exe INVITE");
            return 2;
        }
        using (var socket = new UdpSocket())
        using (var session = new Session(new Config { Name = "csharp" }, typeof(Ball), typeof(Cheer),
                                         typeof(Thanks))) {
            session.Join(arguments[0]);
            while (_failure == "" && session.State <= State.Leaving) {
                foreach (Event happened in session.Receive(socket.Receive(), Session.ClockUs))
                    Act(session, happened);
                socket.Send(session.Send(Session.ClockUs));
                Thread.Sleep(5);
            }
            if (_failure == "" && session.State != State.Left) _failure = session.StateText;
        }
        if (_failure != "") Console.Error.WriteLine(_failure);
        return _failure == "" ? 0 : 1;
    }
}
