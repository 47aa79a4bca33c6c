namespace Broker.ZeroMqLoad.Comparing;

/// <summary>Measures each kind of row. Receiving ends start first, on a processor of their own.</summary>
internal static partial class Measurements
{
    public static Result Push(EndFactory ends, Kind sender, Kind receiver, Shape shape)
    {
        string endpoint = EndFactory.NewEndpoint();
        using End pull = ends.Start(receiver, 1, "pull", binds: true, endpoint, shape);
        using End push = ends.Start(sender, 0, "push", binds: false, endpoint, shape);
        pull.AwaitEnd();
        push.AwaitEnd();
        return new Result(pull["rate"], push["cpu_ns"], pull["cpu_ns"]) { Allocated = push.Find("allocated") + pull.Find("allocated") };
    }

    public static Result Request(EndFactory ends, Kind kind, Shape shape)
    {
        string endpoint = EndFactory.NewEndpoint();
        using End rep = ends.Start(kind, 1, "rep", binds: true, endpoint, shape);
        using End req = ends.Start(kind, 0, "req", binds: false, endpoint, shape);
        req.AwaitEnd();
        rep.AwaitEnd();
        return new Result(req["rate"], req["cpu_ns"], double.NaN) { P50 = req["p50_us"], P99 = req["p99_us"], P999 = req["p999_us"] };
    }

    public static Result Publish(EndFactory ends, Kind kind, int subscribers, int milliseconds, int size)
    {
        string endpoint = EndFactory.NewEndpoint();
        using End pub = ends.Start(kind, 0, "pub", binds: true, endpoint, new Shape(milliseconds, 0, size) { Subscribers = subscribers });
        using End sub = ends.Start(kind, 1, "sub", binds: false, endpoint, new Shape(subscribers, 0, size));
        sub.AwaitEnd();
        pub.AwaitEnd();
        double due = pub["messages"] * subscribers;
        double got = sub["messages"];
        return new Result(sub["rate"], pub["cpu_ns"], sub["cpu_ns"]) { Loss = 1 - (got / due) };
    }

    /// <summary>
    /// Measures the memory of our publisher for a number of idle subscribers. A few others connect before, for the
    /// compiler.
    /// </summary>
    public static Result Memory(EndFactory ends, Kind kind, int connections)
    {
        const int Few = 100;
        string endpoint = EndFactory.NewEndpoint();
        using End pub = ends.Start(kind, 0, "idle", binds: true, endpoint, new Shape(0, 0, 0));
        pub.AwaitMeasuring();
        using End few = ends.Start(Kind.Threads, 1, "crowd", binds: false, endpoint, new Shape(Few, 0, 0));
        few.AwaitMeasuring();
        double before = pub.Resident;
        using End crowd = ends.Start(Kind.Threads, 1, "crowd", binds: false, endpoint, new Shape(connections, 0, 0));
        crowd.AwaitMeasuring();
        return new Result(double.NaN, double.NaN, double.NaN) { PerConnection = (pub.Resident - before) / connections };
    }

    /// <summary>
    /// Measures a forwarder between two ends of libzmq. The ends share one processor, and the forwarder has the other.
    /// </summary>
    public static Result Forward(EndFactory ends, Kind kind, Shape shape)
    {
        string front = EndFactory.NewEndpoint();
        string back = EndFactory.NewEndpoint();
        using End between = ends.Start(kind, 1, "proxy", binds: true, front, shape, back);
        using End pull = ends.Start(Kind.Libzmq, 0, "pull", binds: false, back, shape);
        using End push = ends.Start(Kind.Libzmq, 0, "push", binds: false, front, shape);
        pull.AwaitMeasuring();
        double before = between.Processor;
        pull.AwaitEnd();
        double used = between.Processor - before;
        push.AwaitEnd();
        return new Result(pull["rate"], used / shape.Count, double.NaN);
    }
}
