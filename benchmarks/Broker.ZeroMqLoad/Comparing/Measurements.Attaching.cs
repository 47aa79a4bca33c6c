using System.Globalization;

namespace Broker.ZeroMqLoad.Comparing;

// This part measures programs of NetMQ that push to a pipeline of a broker in another process.
internal static partial class Measurements
{
    /// <summary>
    /// Measures NetMQ's PUSH to PULL through a broker: by TCP to a bridge, which is a client of the broker, or to an
    /// attached socket in its own process, which is one hop less. The processor time is that of all processes but the
    /// puller's.
    /// </summary>
    public static Result Attached(EndFactory ends, bool isAttached, Shape shape)
    {
        string broker = EndFactory.NewEndpoint().Replace("tcp:", "nats:", StringComparison.Ordinal);
        int port = int.Parse(broker.AsSpan(broker.LastIndexOf(':') + 1), CultureInfo.InvariantCulture);
        string there = EndFactory.NewEndpoint();
        using End server = ends.Start(Kind.Bridge, null, "proxy", binds: true, EndFactory.NewEndpoint(), shape with { Port = port }, there);
        server.AwaitMeasuring();
        string here = EndFactory.NewEndpoint();
        using End? bridge = isAttached ? null : ends.Start(Kind.Bridge, null, "ingress", binds: false, broker, shape, here);
        bridge?.AwaitMeasuring();
        using End pull = ends.Start(Kind.Threads, null, "pull", binds: false, there, shape);
        using End push = isAttached
            ? ends.Start(Kind.Threads, null, "attach", binds: false, broker, shape)
            : ends.Start(Kind.NetMqBytes, null, "push", binds: false, here, shape);
        pull.AwaitMeasuring();
        double used = -Used();
        pull.AwaitEnd();
        used += Used();
        push.AwaitEnd();
        return new Result(pull["rate"], used / shape.Count, double.NaN);

        double Used() => server.Processor + push.Processor + (bridge?.Processor ?? 0);
    }
}
