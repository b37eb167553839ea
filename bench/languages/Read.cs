// Reads the positions of 1,000 bodies into an array, as read.c does. Prints the time of a tick in
// ns.
using System;
using System.Diagnostics;
using Tern;

struct Vector3
{
    public float X, Y, Z;
}

[TernType("body", ObjectsMax = 1000)]
unsafe struct Body // X is the field "x" with three numbers.
{
    [TernField(Count = 3)] public float X;
    public float Y, Z;
    [TernField] public fixed float Rotation[4];
    [TernField] public int Health;
}

static class Read
{
    const int Bodies = 1000, Ticks = 2000;
    static readonly Vector3[] Positions = new Vector3[Bodies];

    static void ReadAll(Session session)
    {
        ReadOnlySpan<Body> bodies = session.Values<Body>();
        for (int i = 0; i < bodies.Length; ++i)
            Positions[i] = new Vector3 { X = bodies[i].X, Y = bodies[i].Y, Z = bodies[i].Z };
    }

    static int Main()
    {
        using (var session = new Session(new Config(), typeof(Body))) {
            session.Start();
            for (int i = 0; i < Bodies; ++i)
                session.Create(new Body { X = i, Health = i });
            for (int i = 0; i < Ticks; ++i)
                ReadAll(session); // Compiles it.
            var time = Stopwatch.StartNew();
            for (int i = 0; i < Ticks; ++i)
                ReadAll(session);
            long ns = time.ElapsedTicks * 1000000000L / Stopwatch.Frequency;
            Console.WriteLine("all " + ns / Ticks);
            return Positions[7].X == 7 ? 0 : 1;
        }
    }
}
