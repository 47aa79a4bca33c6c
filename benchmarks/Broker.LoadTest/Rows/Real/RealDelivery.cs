using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// Messages from publishers to readers that do not repeat the previous line, verified frame by frame.
/// </summary>
/// <param name="name">The value of <see cref="Row.Name"/>.</param>
/// <param name="who">A description of the publishers and readers.</param>
/// <param name="topology">The publishers and readers. Its subject and size are those of the traffic.</param>
/// <param name="traffic">The published messages.</param>
/// <param name="hasBystander">Whether the PINGs of another client are measured meanwhile.</param>
/// <param name="hasSuspended">
/// Whether there is another reader in a process that is stopped by SIGSTOP. The other readers still receive everything.
/// </param>
internal sealed class RealDelivery(string name, string who, Topology topology, Traffic traffic, bool hasBystander = false, bool hasSuspended = false)
    : Delivery(name, $"{who}{(hasBystander ? ", beside a PING each ms" : "")}: {traffic.What}", topology with { Subject = traffic.Filter, PayloadSize = traffic.Size }, new VariedFrames(traffic))
{
    private readonly Topology _topology = topology;

    public override double ShortestSeconds => hasBystander ? RealRows.ShortestBeside : RealRows.Shortest;

    public override double NominalNanoseconds => _topology.Publishers > 1 ? 500 : base.NominalNanoseconds;

    protected override bool IsOrdered => _topology is { Publishers: 1, Queue: null };

    public override Measurement Measure(Target target, long messages)
    {
        using SuspendedReader? suspended = Suspended(target);
        return base.Measure(target, messages);
    }

    public override void Verify(Target target)
    {
        using SuspendedReader? suspended = Suspended(target);
        new TrafficVerification(_topology with { Subject = traffic.Filter }, traffic).Run(target);
    }

    protected override Bystander? Beside(Driver.Session session) => hasBystander ? new Bystander(session) : null;

    private SuspendedReader? Suspended(Target target) => hasSuspended ? SuspendedReader.Start(target.Address, traffic.Filter) : null;
}
