namespace Broker.Hosting;

/// <summary>The subjects that a user may publish or subscribe to.</summary>
public sealed class BrokerSubjectSettings
{
    /// <summary>The allowed subjects. If empty, all subjects are allowed.</summary>
    public IList<string> Allow { get; } = [];

    /// <summary>The denied subjects, which override <see cref="Allow"/>.</summary>
    public IList<string> Deny { get; } = [];
}
