using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Footprints;

/// <summary>Measures the start time of a server process, and its memory before the first message.</summary>
internal sealed class Starting(string name) : Row(name, "start of a process")
{
    // After this time, the process has freed memory that only its start needed.
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
        // There are no messages to compare: a started server has answered a PING already.
    }
}
