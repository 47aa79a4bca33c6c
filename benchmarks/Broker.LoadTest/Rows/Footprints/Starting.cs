using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Footprints;

/// <summary>How soon a process of the server is there, and what it holds before it has done anything.</summary>
internal sealed class Starting(string name) : Row(name, "start of a process")
{
    // What was taken for the start alone may have been given back by then.
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(1);

    public override bool InMainTable => false;

    public override double NominalNanoseconds => 1e6;

    public override bool WarmsUp => false;

    public override bool NeedsFreshServer => true;

    public override Measurement Measure(Target target, long messages)
    {
        Thread.Sleep(Settling);
        StartTimes times = target.Server.Times;
        return new Measurement
        {
            Messages = 1,
            Seconds = (times.ToConnection + times.ToInfo).TotalSeconds,
            CpuSeconds = target.Cpu.ReadTotal().TotalSeconds,
            ResidentBytes = target.Cpu.ReadResidentBytes(),
            Start = times,
        };
    }

    public override void Verify(Target target)
    {
        // There is nothing to compare: a server that is there has answered a PING.
    }
}
