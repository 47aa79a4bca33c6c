namespace Broker.Server;

// The subject mappings of the account.
internal sealed partial class Router
{
    private volatile AccountMappings? _mappings;

    // Subscriptions to the sources of the mappings, which only observers see: a subscriber of a destination needs the
    // messages of the source.
    private List<Subscription> _mappedInterest = [];

    /// <summary>
    /// The mappings of the account's subjects; null if the account has no mappings. The router itself does not apply
    /// the mappings, because a message is mapped once: publishers map its subject before they search the route.
    /// </summary>
    internal AccountMappings? Mappings => _mappings;

    /// <summary>
    /// Finds the mapping of a published subject. Returns null if no mapping applies. No mapping applies to a reserved
    /// subject, so that mappings with wildcards do not divert messages from the clients that reserved the subject.
    /// </summary>
    internal SubjectMapping? FindMapping(ReadOnlySpan<byte> subject)
        => _mappings?.Find(subject) is { } mapping && Reservations.Subjects?.Match(subject, default).Plain is not true
            ? mapping
            : null;

    /// <summary>
    /// Replaces the mappings. Publishers with stored routes use the new mappings only after they have been moved to the
    /// router again.
    /// </summary>
    internal void SetMappings(AccountMappings? mappings)
    {
        lock (_gate)
        {
            List<Subscription> before = _mappedInterest;
            _mappings = mappings;
            _mappedInterest = [.. mappings?.All.Select(static m => new Subscription(null, m.Filter, null, "0"u8)) ?? []];
            _mappedInterest.ForEach(added => _observers.Report(added, isAdded: true));
            before.ForEach(removed => _observers.Report(removed, isAdded: false));
        }
    }

    /// <summary>
    /// Returns the subject of a message that reaches the account by an import: the mapped subject, or the same subject
    /// if no mapping applies. Returns an empty span if the message is dropped.
    /// </summary>
    internal ReadOnlySpan<byte> Map(ReadOnlySpan<byte> subject)
    {
        if (FindMapping(subject) is not { } mapping)
        {
            return subject;
        }

        var mapped = new SubjectBuffer();
        return mapping.TryMap(subject, mapped) ? mapped.Written : default;
    }
}
