namespace Broker.LoadTest.Rows.Real;

/// <summary>Messages of which no line repeats the one before, from publishers to readers; verified frame by frame.</summary>
internal sealed class RealDelivery(string name, string who, Topology topology, Traffic traffic, bool hasBystander = false)
    : Delivery(name, $"{who}{(hasBystander ? ", beside a PING each ms" : "")}: {traffic.What}", topology with { Subject = traffic.Filter, PayloadSize = traffic.Size }, new VariedFrames(traffic))
{
    private readonly Topology _topology = topology;

    public override double ShortestSeconds => hasBystander ? RealRows.ShortestBeside : RealRows.Shortest;

    public override double NominalNanoseconds => _topology.Publishers > 1 ? 500 : base.NominalNanoseconds;

    protected override bool IsOrdered => _topology is { Publishers: 1, Queue: null };

    public override void Verify(Servers.Target target) => new TrafficVerification(_topology with { Subject = traffic.Filter }, traffic).Run(target);

    protected override Bystander? Beside(Driver.Session session) => hasBystander ? new Bystander(session) : null;
}
