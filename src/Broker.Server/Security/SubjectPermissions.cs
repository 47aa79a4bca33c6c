namespace Broker.Server;

/// <summary>
/// The subjects that a client may publish to or subscribe to: all subjects that are allowed and not denied.
/// </summary>
/// <remarks>
/// <para>Entries are subjects or filters (<c>orders.*</c>, <c>orders.&gt;</c>). For subscriptions an entry may contain
/// a queue group after a space, such as <c>"orders.* workers"</c>; the group may be a filter too. If an entry with a
/// group allows a subject, queue subscriptions to it must use an allowed group, and the entry does not allow
/// subscriptions without a group. If an entry with a group denies a subject, it only denies queue subscriptions of this
/// group. A denied entry without a group denies all subscriptions.</para>
/// <para>A subscription to a filter is accepted if an allowed entry covers the whole filter and no denied entry covers
/// the whole filter. If a denied entry covers a part of the filter, the messages of this part are not delivered.</para>
/// </remarks>
public sealed class SubjectPermissions
{
    /// <summary>The allowed entries. Null, the default, allows everything; an empty list allows nothing.</summary>
    public IReadOnlyList<string>? Allow { get; init; }

    /// <summary>The denied entries, which take precedence over the allowed entries. Default: none.</summary>
    public IReadOnlyList<string> Deny { get; init; } = [];

    /// <summary>Allows only the subjects that match one of the filters.</summary>
    public static SubjectPermissions Only(params string[] allow) => new() { Allow = allow };

    /// <summary>Allows all subjects except subjects that match one of the filters.</summary>
    public static SubjectPermissions AllBut(params string[] deny) => new() { Deny = deny };
}
