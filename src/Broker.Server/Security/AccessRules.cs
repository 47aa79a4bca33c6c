namespace Broker.Server;

/// <summary>
/// <see cref="Permissions"/> in a compiled form that sessions and the router use. Immutable and thread-safe.
/// </summary>
internal sealed class AccessRules
{
    private static readonly AccessRules All = new(new Permissions());

    private readonly SubjectSet? _publishAllow;
    private readonly SubjectSet? _publishDeny;
    private readonly SubjectSet? _subscribeAllow;
    private readonly SubjectSet? _subscribeDeny;
    private readonly NamedSubjects? _publishNamed;
    private readonly NamedSubjects? _subscribeNamed;
    private readonly bool _mayUseReserved;
    private AccessRules? _withReserved;

    internal AccessRules(Permissions permissions)
    {
        Source = permissions;
        Responses = permissions.Responses;
        _publishAllow = permissions.Publish.Allow is { } allow ? new SubjectSet(allow, queues: false)
            : Responses is not null ? new SubjectSet([], queues: false) : null;
        _publishDeny = permissions.Publish.Deny.Count > 0
            ? new SubjectSet(permissions.Publish.Deny, queues: false)
            : null;
        _subscribeAllow = permissions.Subscribe.Allow is { } receive ? new SubjectSet(receive, queues: true) : null;
        _subscribeDeny = permissions.Subscribe.Deny.Count > 0
            ? new SubjectSet(permissions.Subscribe.Deny, queues: true)
            : null;
        _publishNamed = permissions.Publish.Allow is { } publish ? new NamedSubjects(publish, queues: false) : null;
        _subscribeNamed = permissions.Subscribe.Allow is { } subscribe ? new NamedSubjects(subscribe, queues: true) : null;
        if (Responses is { Expires.Ticks: <= 0 } && Responses.Expires != Timeout.InfiniteTimeSpan)
        {
            throw new ArgumentException(
                $"{nameof(ResponsePermissions)}.{nameof(ResponsePermissions.Expires)} must be positive or infinite.");
        }

        if (Responses is { MaxMessages: 0 or < -1 })
        {
            throw new ArgumentException(
                $"{nameof(ResponsePermissions)}.{nameof(ResponsePermissions.MaxMessages)} must be at least 1, or -1.");
        }
    }

    // The same rules for a client that may use all reserved subjects too.
    private AccessRules(AccessRules rules)
    {
        _mayUseReserved = true;
        Source = rules.Source;
        Responses = rules.Responses;
        _publishAllow = rules._publishAllow;
        _publishDeny = rules._publishDeny;
        _subscribeAllow = rules._subscribeAllow;
        _subscribeDeny = rules._subscribeDeny;
    }

    /// <summary>The permissions that these rules were compiled from.</summary>
    internal Permissions Source { get; }

    internal ResponsePermissions? Responses { get; }

    /// <summary>Whether the permissions forbid the client to receive some subjects.</summary>
    internal bool LimitsReceiving => _subscribeAllow is not null || _subscribeDeny is not null;

    internal bool MayPublish(ReadOnlySpan<byte> subject)
        => (_publishAllow is null || _publishAllow.Match(subject, default).Plain)
            && (_publishDeny is null || !_publishDeny.Match(subject, default).Plain);

    /// <summary>
    /// Whether a subscription is permitted: one allowed entry must cover the whole filter, and no denied entry may
    /// cover it.
    /// </summary>
    internal bool MaySubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
        => (_subscribeAllow is null || Allows(_subscribeAllow.Cover(filter, queue), queue))
            && (_subscribeDeny is null || !Denies(_subscribeDeny.Cover(filter, queue)));

    /// <summary>
    /// Whether a message may be delivered. Checks the subject of the message, because the filter of the subscription
    /// may be wider than the permissions.
    /// </summary>
    internal bool MayReceive(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue)
        => (_subscribeAllow is null || Allows(_subscribeAllow.Match(subject, queue), queue))
            && (_subscribeDeny is null || !Denies(_subscribeDeny.Match(subject, queue)));

    /// <summary>
    /// Returns rules with the same permissions for a client that may also use reserved subjects. The rules are created
    /// on first use. Two threads may create equal rules at the same time.
    /// </summary>
    /// <param name="rules">The client's permissions; null if everything is allowed.</param>
    internal static AccessRules WithReserved(AccessRules? rules)
    {
        rules ??= All;
        return rules._withReserved ??= new AccessRules(rules);
    }

    /// <summary>Whether a subject that <see cref="MayPublish"/> allows may be used although it is reserved.</summary>
    internal bool MayPublishReserved(ReadOnlySpan<byte> subject, SubjectSet reserved)
        => _mayUseReserved || _publishNamed?.Within(reserved).Match(subject, default).Plain == true;

    /// <summary>Whether a filter that <see cref="MaySubscribe"/> allows may be used although it is reserved.</summary>
    internal bool MaySubscribeReserved(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, SubjectSet reserved)
        => _mayUseReserved || (_subscribeNamed is not null && Allows(_subscribeNamed.Within(reserved).Cover(filter, queue), queue));

    /// <summary>
    /// Whether a subject that <see cref="MayReceive"/> allows may be received although it is reserved.
    /// </summary>
    internal bool MayReceiveReserved(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, SubjectSet reserved)
        => _mayUseReserved || (_subscribeNamed is not null && Allows(_subscribeNamed.Within(reserved).Match(subject, queue), queue));

    private static bool Allows(SubjectSet.Matches found, ReadOnlySpan<byte> queue)
        => !queue.IsEmpty && found.NamesQueues ? found.NamesThisQueue : found.Plain;

    // A denied entry without a queue group also denies subscriptions with a queue group. Otherwise a client could
    // evade the entry by a subscription with a queue group.
    private static bool Denies(SubjectSet.Matches found) => found.Plain || found.NamesThisQueue;
}
