namespace Broker.Hosting;

/// <summary>Subjects that a user may use.</summary>
public sealed class BrokerSubjectSettings
{
    /// <summary>These and no others; empty for all.</summary>
    public IList<string> Allow { get; } = [];

    /// <summary>But not these.</summary>
    public IList<string> Deny { get; } = [];
}
