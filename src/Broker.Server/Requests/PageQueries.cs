using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>Reads queries for pages from the options of system requests, with nats-server's error texts.</summary>
internal static class PageQueries
{
    // The states as nats-server numbers them.
    private static readonly ConnectionStates[] States =
        [ConnectionStates.Open, ConnectionStates.Closed, ConnectionStates.All];

    private static readonly Dictionary<string, ConnectionOrder> Orders = new(StringComparer.Ordinal)
    {
        ["cid"] = ConnectionOrder.Id,
        ["start"] = ConnectionOrder.Started,
        ["subs"] = ConnectionOrder.Subscriptions,
        ["pending"] = ConnectionOrder.Pending,
        ["msgs_to"] = ConnectionOrder.MessagesOut,
        ["msgs_from"] = ConnectionOrder.MessagesIn,
        ["bytes_to"] = ConnectionOrder.BytesOut,
        ["bytes_from"] = ConnectionOrder.BytesIn,
        ["last"] = ConnectionOrder.LastActivity,
        ["idle"] = ConnectionOrder.Idle,
        ["uptime"] = ConnectionOrder.Uptime,
        ["stop"] = ConnectionOrder.Stopped,
        ["reason"] = ConnectionOrder.Reason,
    };

    /// <summary>Reads a query for streams; null if no account is requested.</summary>
    /// <param name="options">The options.</param>
    /// <param name="account">The account of the request; null for a request to the server.</param>
    internal static StreamsQuery? Streams(RequestOptions options, string? account)
    {
        bool withConsumers = options.Flag("consumer");
        var query = new StreamsQuery
        {
            Account = account ?? options.Text("account"),
            WithStreams = withConsumers || options.Flag("streams"),
            WithConsumers = withConsumers,
            WithConfiguration = options.Flag("config"),
        };
        return query.Account is not null || query.WithStreams || options.Flag("accounts") ? query : null;
    }

    /// <summary>Reads a query for clients.</summary>
    /// <param name="options">The options.</param>
    /// <param name="account">The only account that the requester may see; null for all accounts.</param>
    internal static ConnectionQuery Connections(RequestOptions options, string? account)
    {
        int state = options.Number("state");
        if (state < 0 || state >= States.Length)
        {
            throw Failed($"\"state\" must be 0 for open, 1 for closed, or 2 for all clients");
        }

        account ??= options.Text("acc");
        string? filter = options.Text("filter_subject");
        if (filter is not null && account is null)
        {
            throw Failed("filter by subject only valid with account filtering");
        }

        ulong id = options.Id("cid");
        bool detailed = options.Flag("subscriptions_detail");
        return new ConnectionQuery
        {
            States = States[state],
            Order = Order(options.Text("sort"), States[state]),
            Offset = options.Number("offset"),
            Limit = options.Number("limit"),
            Id = id == 0 ? null : id,
            User = options.Text("user"),
            Account = account,
            SubscribedTo = filter,
            WithSubscriptions = detailed || options.Flag("subscriptions"),
            WithSubscriptionDetails = detailed,
            WithUsers = options.Flag("auth"),
        };
    }

    /// <summary>Reads a query for subscriptions.</summary>
    internal static SubscriptionQuery Subscriptions(RequestOptions options, string? account)
    {
        string? test = options.Text("test");
        if (test is not null && !Subject.IsValidLiteral(Encoding.UTF8.GetBytes(test)))
        {
            throw Failed($"invalid test subject, must be valid publish subject: {test}");
        }

        return new SubscriptionQuery
        {
            Offset = options.Number("offset"),
            Limit = options.Number("limit"),
            Account = account ?? options.Text("account"),
            Subject = test,
        };
    }

    private static ConnectionOrder Order(string? name, ConnectionStates states)
    {
        ConnectionOrder order = ConnectionOrder.Id;
        if (name is not null && !Orders.TryGetValue(name, out order))
        {
            throw Failed($"invalid sorting option: {name}");
        }

        return order is ConnectionOrder.Stopped or ConnectionOrder.Reason && states != ConnectionStates.Closed
            ? throw Failed($"sort by {name} only valid on closed connections")
            : order;
    }

    private static RequestException Failed(string problem) => new(RequestException.Failed, problem);
}
