using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Footprints;

/// <summary>
/// Something that a server holds while nothing happens: what each costs in memory, and what all of them cost in
/// processor time. A fresh process each time, since memory that was given back by one row would be used by the next.
/// </summary>
internal abstract class FootprintRow(string name, string what) : Row(name, what)
{
    // PINGs that follow a CONNECT after some 2 s are not idling yet.
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Idling = TimeSpan.FromSeconds(3);

    public override bool InMainTable => false;

    public override double NominalNanoseconds => 1e6;

    public override bool WarmsUp => false;

    public override int MostRounds => 3;

    public override bool NeedsFreshServer => true;

    public override void Verify(Target target)
    {
        // Every measurement ends with the proof that the server still holds all of them.
    }

    protected static IdleCost Idle(Target target) => IdleCost.Of(target, Settling, Idling);
}
