using System.Net;

namespace Broker.Server;

/// <summary>The rights that a JWT grants to one client, besides its permissions.</summary>
/// <param name="Token">The claims of the JWT. Its type belongs to the code that reads JWTs.</param>
/// <param name="From">The address that the client connected from.</param>
/// <param name="Transport">The transport of the client.</param>
internal sealed record UserGrant(object Token, EndPoint? From, ClientTransport Transport)
{
    /// <summary>The claims of the account that the other properties follow from; null before they are known.</summary>
    internal object? Account { get; init; }

    /// <summary>Whether the user has not shown that it has its key.</summary>
    internal bool IsBearer { get; init; }

    /// <summary>Whether the permissions come from the JWT of the user itself, which never changes.</summary>
    internal bool HasOwnAccess { get; init; }

    /// <summary>The maximum number of subscriptions; null for no limit.</summary>
    internal int? Subscriptions { get; init; }

    /// <summary>The maximum payload in bytes; null for no limit.</summary>
    internal int? Payload { get; init; }

    /// <summary>
    /// The time when the server closes the connection; <see cref="DateTimeOffset.MaxValue"/> for never.
    /// </summary>
    internal DateTimeOffset Ends { get; init; } = DateTimeOffset.MaxValue;

    /// <summary>The error text for the client at that time.</summary>
    internal string EndText { get; init; } = "";
}
