namespace Broker.Server.Security;

/// <summary>Which subjects a client may use in one direction: what is allowed and not denied.</summary>
/// <remarks>
/// <para>Entries are subjects or filters (<c>orders.*</c>, <c>orders.&gt;</c>). For subscribing an entry may name a queue
/// group behind a space, <c>"orders.* workers"</c>; the name may be a filter too. Where such an entry allows a subject, queue
/// subscriptions to it must be of a group that is named; such an entry alone allows no plain subscription. Where such an entry
/// denies a subject, only queue subscriptions of the groups it names are denied; an entry without a group denies all.</para>
/// <para>A subscription to a filter is taken when one allowed entry covers all of it and no denied one does. What it matches
/// beside and is denied is not delivered.</para>
/// </remarks>
public sealed class SubjectPermissions
{
    /// <summary>What is allowed. Null, the default, is everything; an empty list is nothing.</summary>
    public IReadOnlyList<string>? Allow { get; init; }

    /// <summary>What is denied of that.</summary>
    public IReadOnlyList<string> Deny { get; init; } = [];

    /// <summary>Everything that one of the filters matches.</summary>
    public static SubjectPermissions Only(params string[] allow) => new() { Allow = allow };

    /// <summary>Everything that none of the filters matches.</summary>
    public static SubjectPermissions AllBut(params string[] deny) => new() { Deny = deny };
}
