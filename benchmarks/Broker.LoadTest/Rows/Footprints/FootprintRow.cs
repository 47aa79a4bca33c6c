using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Footprints;

/// <summary>
/// Measures what idle connections or subscriptions cost a server: the memory of each, and the CPU time of all. Each
/// measurement starts a new process, because the next row would reuse the memory that this row has freed.
/// </summary>
internal abstract class FootprintRow(string name, string what) : Row(name, what)
{
    // The server sends its first PINGs about 2 s after CONNECT, so it is not idle before.
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Idling = TimeSpan.FromSeconds(3);

    public override bool InMainTable => false;

    public override double NominalNanoseconds => 1e6;

    public override bool WarmsUp => false;

    public override int MostRounds => 3;

    public override bool NeedsFreshServer => true;

    public override void Verify(Target target)
    {
        // Every measurement ends with a check that the server still has all of them.
    }

    protected static IdleCost Idle(Target target) => IdleCost.Of(target, Settling, Idling);
}
