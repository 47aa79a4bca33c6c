using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>One line of the table: a pattern of traffic that can be measured and, separately, verified.</summary>
internal abstract class Row(string name, string what)
{
    public string Name { get; } = name;

    public string What { get; } = what;

    /// <summary>What an unhurried server takes per counted message; only sizes the first warm-up pass.</summary>
    public abstract double NominalNanoseconds { get; }

    /// <summary>Counted messages per message sent: a fan-out is counted at its readers.</summary>
    public virtual int Copies => 1;

    /// <summary>The number of messages is rounded to a multiple of this.</summary>
    public virtual int Publishers => 1;

    /// <summary>Below this its figures would mean nothing.</summary>
    public virtual int FewestMessages => 200;

    /// <summary>Counts only: equal frames, whole blocks. Throws when the count is not exact.</summary>
    public abstract Measurement Measure(Target target, long messages);

    /// <summary>Fewer messages, each different, every byte compared. Throws at the first that is wrong.</summary>
    public abstract void Verify(Target target);
}
