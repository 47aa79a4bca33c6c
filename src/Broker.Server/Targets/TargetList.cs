namespace Broker.Server;

/// <summary>The message targets of one server. Thread-safe.</summary>
internal sealed class TargetList
{
    private readonly Lock _gate = new();
    private readonly List<MessageTarget> _targets = [];

    internal void Add(MessageTarget target)
    {
        lock (_gate)
        {
            _targets.Add(target);
        }
    }

    internal void Remove(MessageTarget target)
    {
        lock (_gate)
        {
            _targets.Remove(target);
        }
    }

    /// <summary>
    /// Applies changed stream imports to all targets. The subscriptions of a target that is added later use the new
    /// imports from the beginning.
    /// </summary>
    internal void ApplyImports() => Array.ForEach(ToArray(), static target => target.ApplyImports());

    internal void DisposeAll() => Array.ForEach(ToArray(), static target => target.Dispose());

    private MessageTarget[] ToArray()
    {
        lock (_gate)
        {
            return [.. _targets];
        }
    }
}
