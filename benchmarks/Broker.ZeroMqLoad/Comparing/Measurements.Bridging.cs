namespace Broker.ZeroMqLoad.Comparing;

// This part measures libzmq at both ends of a bridge, or at one end. No process has a processor of its own, so a busy
// process gets more processor time.
internal static partial class Measurements
{
    /// <summary>Measures a program between PUSH and PULL, and its processor time for a message.</summary>
    public static Result Pipeline(EndFactory ends, Kind between, Shape shape) => Through(
        ends, between, Pattern.Push, ("push", shape), ("pull", shape), isTimedInFront: false,
        (_, pull, used) => new Result(pull["rate"], used / shape.Count, double.NaN));

    /// <summary>
    /// Measures a program between PUB and SUB: the rate of the received messages, and the processor time for one of
    /// them.
    /// </summary>
    public static Result Publications(EndFactory ends, Kind between, Shape shape) => Through(
        ends, between, Pattern.Publish, ("pub", shape), ("sub", shape with { Count = 1 }), isTimedInFront: false,
        static (pub, sub, used) => new Result(sub["rate"], used / sub["messages"], double.NaN) { Loss = Loss(pub, sub) });

    /// <summary>
    /// Measures a program between REQ and REP: the duration of a request, and the processor time for it.
    /// </summary>
    public static Result Requests(EndFactory ends, Kind between, Shape shape) => Through(
        ends, between, Pattern.Request, ("req", shape), ("rep", shape), isTimedInFront: true,
        (req, _, used) => new Result(req["rate"], used / shape.Count, double.NaN) { P50 = req["p50_us"], P99 = req["p99_us"], P999 = req["p999_us"] });

    /// <summary>
    /// Measures PUB and SUB without a program between them: the most that one program of libzmq can send or receive.
    /// </summary>
    public static Result Direct(EndFactory ends, Shape shape)
    {
        string endpoint = EndFactory.NewEndpoint();
        using End pub = ends.Start(Kind.Libzmq, null, "pub", binds: true, endpoint, shape);
        using End sub = ends.Start(Kind.Libzmq, null, "sub", binds: false, endpoint, shape with { Count = 1 });
        sub.AwaitEnd();
        pub.AwaitEnd();
        return new Result(sub["rate"], pub["cpu_ns"], sub["cpu_ns"]) { Loss = Loss(pub, sub) };
    }

    /// <summary>Measures a PUB and a native subscriber in the bridge's process.</summary>
    public static Result ToNative(EndFactory ends, Shape shape)
    {
        string front = EndFactory.NewEndpoint();
        using End native = ends.Start(Kind.Bridge, null, "sub", binds: true, front, shape, pattern: Pattern.Publish);
        native.AwaitMeasuring();
        using End pub = ends.Start(Kind.Libzmq, null, "pub", binds: false, front, shape);
        native.AwaitEnd();
        pub.AwaitEnd();
        return new Result(native["rate"], pub["cpu_ns"], native["cpu_ns"]) { Loss = Loss(pub, native) };
    }

    /// <summary>Measures a native publisher in the bridge's process and a SUB.</summary>
    public static Result FromNative(EndFactory ends, Shape shape)
    {
        string back = EndFactory.NewEndpoint();
        using End native = ends.Start(Kind.Bridge, null, "pub", binds: true, back, shape, pattern: Pattern.Publish);
        using End sub = ends.Start(Kind.Libzmq, null, "sub", binds: false, back, shape with { Count = 1 });
        sub.AwaitEnd();
        native.AwaitEnd();
        return new Result(sub["rate"], native["cpu_ns"], sub["cpu_ns"]) { Loss = Loss(native, sub) };
    }

    // The processor time is that of the program between, from the end of the warm-up to the end of the measurement.
    private static Result Through(
        EndFactory ends, Kind between, Pattern pattern, (string Role, Shape Shape) front, (string Role, Shape Shape) back, bool isTimedInFront,
        Func<End, End, double, Result> result)
    {
        (string here, string there) = (EndFactory.NewEndpoint(), EndFactory.NewEndpoint());
        using End middle = Between(ends, between, pattern, here, there, front.Shape);
        using End behind = ends.Start(Kind.Libzmq, null, back.Role, binds: false, there, back.Shape);
        using End before = ends.Start(Kind.Libzmq, null, front.Role, binds: false, here, front.Shape);
        (End timed, End other) = isTimedInFront ? (before, behind) : (behind, before);
        timed.AwaitMeasuring();
        double used = -middle.Processor;
        timed.AwaitEnd();
        used += middle.Processor;
        other.AwaitEnd();
        return result(before, behind, used);
    }

    private static End Between(EndFactory ends, Kind kind, Pattern pattern, string front, string back, Shape shape)
    {
        End end = ends.Start(kind, null, "proxy", binds: true, front, shape, back, pattern);
        try
        {
            end.AwaitMeasuring();
            return end;
        }
        catch
        {
            end.Dispose();
            throw;
        }
    }

    private static double Loss(End sender, End receiver) => 1 - (receiver["total"] / sender["messages"]);
}
