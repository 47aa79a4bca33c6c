using System.Globalization;
using Broker.Protocol;
using Broker.Server;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Broker.AspNetCore;

/// <summary>Reads the parameters of the monitoring pages, with nats-server's defaults and error texts.</summary>
internal readonly struct QueryReader(IQueryCollection query)
{
    // The default limit on the accounts of /jsz, as in nats-server.
    private const int MaxAccounts = 1024;

    internal string? Text(string name) => query.TryGetValue(name, out StringValues values) && values is [{ Length: > 0 } first, ..] ? first : null;

    internal bool Is(string name, string value) => string.Equals(Text(name), value, StringComparison.OrdinalIgnoreCase);

    /// <summary>Reads a boolean in the forms that Go accepts.</summary>
    internal bool Flag(string name) => Text(name) switch
    {
        null or "0" or "f" or "F" or "false" or "False" or "FALSE" => false,
        "1" or "t" or "T" or "true" or "True" or "TRUE" => true,
        { } other => throw new QueryException($"Error decoding boolean for '{name}': \"{other}\" is neither true nor false"),
    };

    internal ConnectionQuery ReadConnections()
    {
        bool detailed = Is("subs", "detail");
        ConnectionStates states = Text("state")?.ToUpperInvariant() switch
        {
            null or "OPEN" => ConnectionStates.Open,
            "CLOSED" => ConnectionStates.Closed,
            "ANY" or "ALL" => ConnectionStates.All,
            _ => throw new QueryException($"Error decoding state for {Text("state")}"),
        };
        ConnectionOrder order = Order(Text("sort"));
        if (order is ConnectionOrder.Stopped or ConnectionOrder.Reason && states != ConnectionStates.Closed)
        {
            throw new QueryException($"sort by {Text("sort")} only valid on closed connections");
        }

        return new ConnectionQuery
        {
            States = states,
            Order = order,
            Offset = Number("offset"),
            Limit = Number("limit"),
            Id = Id("cid"),
            User = Text("user"),
            Account = Text("acc"),
            WithSubscriptions = detailed || Flag("subs"),
            WithSubscriptionDetails = detailed,
            WithUsers = Flag("auth"),
        };
    }

    /// <summary>Reads a query for streams; null if the page must list no account.</summary>
    internal StreamsQuery? ReadStreams(out int offset, out int limit)
    {
        offset = Math.Max(0, Number("offset"));
        limit = Number("limit") is var number and > 0 ? number : MaxAccounts;
        bool withConsumers = Flag("consumers");
        var streams = new StreamsQuery
        {
            Account = Text("acc"),
            WithStreams = Flag("streams") | withConsumers,
            WithConsumers = withConsumers,
            WithConfiguration = Flag("config"),
        };
        return Flag("accounts") | streams.Account is not null | streams.WithStreams ? streams : null;
    }

    internal SubscriptionQuery ReadSubscriptions()
    {
        string? test = Text("test");
        if (test is not null && !Subject.IsValidLiteral(System.Text.Encoding.UTF8.GetBytes(test)))
        {
            throw new QueryException($"invalid test subject, must be valid publish subject: {test}");
        }

        return new SubscriptionQuery { Offset = Number("offset"), Limit = Number("limit"), Account = Text("acc"), Subject = test };
    }

    // A number out of the range of int is replaced by the nearest int, so a huge limit returns everything.
    private int Number(string name)
    {
        if (Text(name) is not { } text)
        {
            return 0;
        }

        return double.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out double number)
            ? (int)Math.Clamp(number, int.MinValue, int.MaxValue)
            : throw new QueryException($"Error decoding int for '{name}': \"{text}\" is no number");
    }

    private ulong? Id(string name)
    {
        if (Text(name) is not { } text)
        {
            return null;
        }

        ulong id = ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ulong number)
            ? number
            : throw new QueryException($"Error decoding uint64 for '{name}': \"{text}\" is no number");
        return id == 0 ? null : id;
    }

    private static ConnectionOrder Order(string? name) => name switch
    {
        null or "cid" => ConnectionOrder.Id,
        "start" => ConnectionOrder.Started,
        "subs" => ConnectionOrder.Subscriptions,
        "pending" => ConnectionOrder.Pending,
        "msgs_to" => ConnectionOrder.MessagesOut,
        "msgs_from" => ConnectionOrder.MessagesIn,
        "bytes_to" => ConnectionOrder.BytesOut,
        "bytes_from" => ConnectionOrder.BytesIn,
        "last" => ConnectionOrder.LastActivity,
        "idle" => ConnectionOrder.Idle,
        "uptime" => ConnectionOrder.Uptime,
        "stop" => ConnectionOrder.Stopped,
        "reason" => ConnectionOrder.Reason,
        _ => throw new QueryException($"invalid sorting option: {name}"),
    };
}
