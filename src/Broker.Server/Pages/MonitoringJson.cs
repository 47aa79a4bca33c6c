using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Server;

/// <summary>
/// Writes descriptions of a server as JSON, in the form of nats-server's monitoring pages. Thread-safe.
/// </summary>
public static class MonitoringJson
{
    // The limit on the accounts of /jsz, as in nats-server.
    private const int DefaultAccounts = 1024;

    /// <summary>Writes the page <c>/varz</c>, which describes the server.</summary>
    public static Task WriteVarzAsync(
        Stream destination, ServerDescription server, CancellationToken cancellationToken = default)
        => WriteAsync(destination, Varz.From(server), PageJson.Default.Varz, cancellationToken);

    /// <summary>Writes the page <c>/connz</c>, which lists clients.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="query">The query that returned the page of clients.</param>
    /// <param name="page">The page of clients.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static Task WriteConnzAsync(
        Stream destination,
        ServerDescription server,
        ConnectionQuery query,
        ConnectionPage page,
        CancellationToken cancellationToken = default)
        => WriteAsync(destination, Connz.From(server, query, page), PageJson.Default.Connz, cancellationToken);

    /// <summary>Writes the page <c>/subsz</c>: the counters of routing, and a list of subscriptions.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="page">The subscriptions; null for the counters only.</param>
    /// <param name="account">If not null, only the counters of this account are written.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static Task WriteSubszAsync(
        Stream destination,
        ServerDescription server,
        SubscriptionPage? page,
        AccountDescription? account = null,
        CancellationToken cancellationToken = default)
        => WriteAsync(
            destination, Subsz.From(server, account?.Routing ?? server.Routing, page), PageJson.Default.Subsz, cancellationToken);

    /// <summary>Writes the page <c>/accountz</c>: the names of all accounts, or the description of one.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="accounts">All accounts.</param>
    /// <param name="account">The account to describe; null for the names of all accounts.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static Task WriteAccountzAsync(
        Stream destination,
        ServerDescription server,
        IReadOnlyList<AccountDescription> accounts,
        AccountDescription? account = null,
        CancellationToken cancellationToken = default)
        => WriteAsync(destination, Accountz.From(server, accounts, account), PageJson.Default.Accountz, cancellationToken);

    /// <summary>Writes the page <c>/accstatz</c>, which counts the clients and the traffic of accounts.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="accounts">The accounts.</param>
    /// <param name="withUnused">Whether to write accounts without clients too.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static Task WriteAccstatzAsync(
        Stream destination,
        ServerDescription server,
        IReadOnlyList<AccountDescription> accounts,
        bool withUnused,
        CancellationToken cancellationToken = default)
        => WriteAsync(
            destination, Accstatz.From(server, accounts, withUnused), PageJson.Default.Accstatz, cancellationToken);

    /// <summary>Writes the page <c>/healthz</c>, on one line.</summary>
    public static Task WriteHealthzAsync(
        Stream destination, ServerDescription server, CancellationToken cancellationToken = default)
        => WriteHealthzAsync(destination, server, withStreams: true, cancellationToken);

    /// <summary>Writes the page <c>/healthz</c>, on one line.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="withStreams">Whether the server is unavailable if streams are damaged or cannot be written.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static Task WriteHealthzAsync(
        Stream destination, ServerDescription server, bool withStreams, CancellationToken cancellationToken = default)
        => WriteAsync(destination, Healthz.From(server, withStreams), PageJson.Compact.Healthz, cancellationToken);

    /// <summary>Writes the page <c>/subjectz</c>: the subjects with the most traffic.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="page">The subjects.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static Task WriteSubjectzAsync(
        Stream destination, ServerDescription server, SubjectPage page, CancellationToken cancellationToken = default)
        => WriteAsync(destination, Subjectz.From(server, page), PageJson.Default.Subjectz, cancellationToken);

    /// <summary>Writes the page <c>/routez</c> of a server without a cluster.</summary>
    public static Task WriteRoutezAsync(
        Stream destination, ServerDescription server, CancellationToken cancellationToken = default)
        => WriteAsync(destination, Routez.From(server), PageJson.Default.Routez, cancellationToken);

    /// <summary>Writes the page <c>/leafz</c>: the remote servers that the server has joined as a leaf node.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="account">The only account whose links are written; null for all accounts.</param>
    /// <param name="withSubscriptions">Whether to write the subscriptions of the remote servers too.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static async Task WriteLeafzAsync(
        Stream destination,
        ServerDescription server,
        string? account = null,
        bool withSubscriptions = false,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(server);
        Leafz page = await Leafz.FromAsync(server, account, withSubscriptions).ConfigureAwait(false);
        await WriteAsync(destination, page, PageJson.Default.Leafz, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Writes the page <c>/gatewayz</c> of a server without gateways.</summary>
    public static Task WriteGatewayzAsync(
        Stream destination, ServerDescription server, CancellationToken cancellationToken = default)
        => WriteAsync(destination, Gatewayz.From(server), PageJson.Default.Gatewayz, cancellationToken);

    /// <summary>Writes the page <c>/jsz</c>: the limits and the use of the streams, without the accounts.</summary>
    public static Task WriteJszAsync(
        Stream destination, ServerDescription server, CancellationToken cancellationToken = default)
        => WriteAsync(destination, Jsz.From(server, [], null, 0, 0), PageJson.Default.Jsz, cancellationToken);

    /// <summary>Writes the page <c>/jsz</c>: the limits and the use of the streams, and accounts.</summary>
    /// <param name="destination">The stream to write to.</param>
    /// <param name="server">The description of the server.</param>
    /// <param name="accounts">All accounts with streams, as <see cref="BrokerServer.InspectStreamsAsync"/> returned
    /// them.</param>
    /// <param name="query">The query that returned them. It chooses the account that is written. Null to write
    /// none.</param>
    /// <param name="offset">The number of accounts to skip, unless the query names one.</param>
    /// <param name="limit">The maximum number of accounts.</param>
    /// <param name="cancellationToken">Cancels the operation.</param>
    public static Task WriteJszAsync(
        Stream destination,
        ServerDescription server,
        IReadOnlyList<AccountStreamsDescription> accounts,
        StreamsQuery? query,
        int offset = 0,
        int limit = DefaultAccounts,
        CancellationToken cancellationToken = default)
        => WriteAsync(destination, Jsz.From(server, accounts, query, offset, limit), PageJson.Default.Jsz, cancellationToken);

    private static Task WriteAsync<T>(
        Stream destination, T page, JsonTypeInfo<T> type, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return JsonSerializer.SerializeAsync(destination, page, type, cancellationToken);
    }
}
