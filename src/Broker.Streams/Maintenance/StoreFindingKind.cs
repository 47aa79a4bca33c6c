namespace Broker.Streams;

/// <summary>How bad a finding of a verification is.</summary>
public enum StoreFindingKind
{
    /// <summary>Nothing is lost. A repair, or the next start of a broker, puts it in order.</summary>
    Notice,

    /// <summary>
    /// A write at the end of the files was not finished when the broker was killed. Nothing in it was acknowledged. The
    /// next start of a broker cuts it off.
    /// </summary>
    Unfinished,

    /// <summary>Records are damaged or missing. Their streams are refused until a repair.</summary>
    Damage,
}
