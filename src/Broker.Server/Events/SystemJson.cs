using System.Buffers;
using System.Net;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Server;

/// <summary>Writes the JSON bodies of events and replies in the format of nats-server.</summary>
internal sealed class SystemJson(ServerCore core)
{
    private const int IdLength = 22;
    private const string IdAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private const int PageFailed = 500;

    private long _sequence;

    /// <summary>The address of the server in events and answers.</summary>
    internal string Host => (core.AdvertisedEndPoint as IPEndPoint)?.Address.ToString() ?? "";

    internal byte[] Connected(ConnectionDescription client, bool isLeafNode = false) => Write(json =>
    {
        Begin(json, "client_connect");
        Client(json, client, isLeafNode);
    });

    internal byte[] Disconnected(ConnectionDescription client, bool isLeafNode = false) => Write(json =>
    {
        Begin(json, "client_disconnect");
        Client(json, client, isLeafNode);
        Traffic(json, client.MessagesOut, client.BytesOut, client.MessagesIn, client.BytesIn);
        json.WriteString("reason", client.Reason);
    });

    internal byte[] Connections(Account account, AccountTraffic.Totals traffic) => Write(json =>
    {
        Begin(json, "account_connections");
        json.WriteString("acc", account.Name);
        json.WriteNumber("conns", account.Connections);
        json.WriteNumber("leafnodes", account.Peers);
        json.WriteNumber("total_conns", account.Connections + account.Peers);
        Traffic(json, traffic.MessagesOut, traffic.BytesOut, traffic.MessagesIn, traffic.BytesIn);
        json.WriteNumber("slow_consumers", 0);
    });

    // As in nats-server, this event has no type and no id.
    internal byte[] LeafNodeConnected(Account account) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        json.WriteString("acc", account.Name);
    });

    internal byte[] Statistics(ServerDescription facts) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        json.WriteStartObject("statsz");
        json.WriteString("start", facts.Started);
        json.WriteNumber("mem", facts.MemoryBytes);
        json.WriteNumber("cores", facts.Cores);
        json.WriteNumber("cpu", facts.CpuPercent);
        json.WriteNumber("connections", facts.Counters.Connections);
        json.WriteNumber("total_connections", facts.Counters.TotalConnections);
        json.WriteNumber("active_accounts", core.Accounts.All.Count(a => a.Connections > 0));
        json.WriteNumber("subscriptions", facts.Counters.Subscriptions);
        Traffic(
            json,
            facts.Counters.MessagesOut,
            facts.PayloadBytesOut,
            facts.Counters.MessagesIn,
            facts.PayloadBytesIn);
        json.WriteNumber("slow_consumers", facts.Counters.SlowConsumers);
        json.WriteNumber("active_servers", 1);
        json.WriteEndObject();
    });

    /// <summary>Writes the server's identity only, for the shutdown event.</summary>
    internal byte[] Identity()
    {
        var buffer = new ArrayBufferWriter<byte>(256);
        using (var json = new Utf8JsonWriter(buffer))
        {
            Server(json);
        }

        return buffer.WrittenSpan.ToArray();
    }

    internal byte[] Error(int code, string description) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        Error(json, code, description);
    });

    /// <summary>Writes the name, the address and the id of the server, for the reply to IDZ.</summary>
    internal byte[] Id() => Write(json =>
    {
        json.WriteString("name", core.Identity.Name);
        json.WriteString("host", Host);
        json.WriteString("id", core.Identity.Id);
    });

    /// <summary>Writes the answer to a request for a monitoring page.</summary>
    internal byte[] Page<T>(T page, JsonTypeInfo<T> type) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        json.WritePropertyName("data");
        JsonSerializer.Serialize(json, page, type);
    });

    /// <summary>Writes the answer to a request for a monitoring page that the server cannot create.</summary>
    internal byte[] PageError(string description) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        json.WriteNull("data");
        Error(json, PageFailed, description);
    });

    /// <summary>
    /// Writes the answer to a request that has changed the JWT of an account, or those of several accounts.
    /// </summary>
    /// <param name="account">The account; null for several.</param>
    /// <param name="message">The result.</param>
    internal byte[] ClaimsDone(string? account, string message) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        json.WriteStartObject("data");
        Text(json, "account", account);
        json.WriteNumber("code", 200);
        json.WriteString("message", message);
        json.WriteEndObject();
    });

    /// <summary>Writes the answer to a request about the JWT of an account that is refused.</summary>
    /// <param name="account">The account; null for several.</param>
    /// <param name="description">The reason.</param>
    internal byte[] ClaimsError(string? account, string description) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        json.WriteStartObject("error");
        Text(json, "account", account);
        json.WriteNumber("code", PageFailed);
        json.WriteString("description", description);
        json.WriteEndObject();
    });

    /// <summary>Writes the list of all accounts that have a JWT.</summary>
    internal byte[] AccountList(IEnumerable<string> accounts) => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
        json.WriteStartArray("data");
        foreach (string account in accounts)
        {
            json.WriteStringValue(account);
        }

        json.WriteEndArray();
    });

    /// <summary>Writes the answer to a request that was executed.</summary>
    internal byte[] Done() => Write(json =>
    {
        json.WritePropertyName("server");
        Server(json);
    });

    private static byte[] Write(Action<Utf8JsonWriter> body)
    {
        var buffer = new ArrayBufferWriter<byte>(512);
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            body(json);
            json.WriteEndObject();
        }

        return buffer.WrittenSpan.ToArray();
    }

    private static void Error(Utf8JsonWriter json, int code, string description)
    {
        json.WriteStartObject("error");
        json.WriteNumber("code", code);
        json.WriteString("description", description);
        json.WriteEndObject();
    }

    private void Begin(Utf8JsonWriter json, string type)
    {
        json.WriteString("type", "io.nats.server.advisory.v1." + type);
        json.WriteString("id", RandomNumberGenerator.GetString(IdAlphabet, IdLength));
        json.WriteString("timestamp", core.Now);
        json.WritePropertyName("server");
        Server(json);
    }

    private void Server(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("name", core.Identity.Name);
        json.WriteString("host", Host);
        json.WriteString("id", core.Identity.Id);
        Text(json, "domain", core.Streams?.Domain);
        json.WriteString("ver", ServerIdentity.ProtocolVersion);
        if (core.Options.ServerTags is { Count: > 0 } tags)
        {
            json.WriteStartArray("tags");
            foreach (string tag in tags)
            {
                json.WriteStringValue(tag);
            }

            json.WriteEndArray();
        }

        json.WriteNumber("seq", Interlocked.Increment(ref _sequence));
        json.WriteBoolean("jetstream", core.Streams is not null);
        json.WriteString("time", core.Now);
        json.WriteEndObject();
    }

    private static void Client(Utf8JsonWriter json, ConnectionDescription client, bool isLeafNode)
    {
        json.WriteStartObject("client");
        json.WriteString("start", client.Started);
        Text(json, "host", client.Address);
        json.WriteNumber("id", client.Id);
        json.WriteString("acc", client.Account);
        Text(json, "user", client.User);
        Text(json, "name", client.Name);
        Text(json, "lang", client.Language);
        Text(json, "ver", client.Version);
        if (client.RoundTrip is { } roundTrip)
        {
            json.WriteNumber("rtt", roundTrip.Ticks * TimeSpan.NanosecondsPerTick);
        }

        if (client.Stopped is { } stopped)
        {
            json.WriteString("stop", stopped);
        }

        json.WriteString("kind", isLeafNode ? "Leafnode" : "Client");
        if (!isLeafNode)
        {
            json.WriteString("client_type", client.Transport == ClientTransport.WebSocket ? "websocket" : "nats");
        }

        json.WriteEndObject();
    }

    private static void Text(Utf8JsonWriter json, string name, string? text)
    {
        if (!string.IsNullOrEmpty(text))
        {
            json.WriteString(name, text);
        }
    }

    private static void Traffic(Utf8JsonWriter json, long messagesOut, long bytesOut, long messagesIn, long bytesIn)
    {
        Amount(json, "sent", messagesOut, bytesOut);
        Amount(json, "received", messagesIn, bytesIn);
    }

    private static void Amount(Utf8JsonWriter json, string name, long messages, long bytes)
    {
        json.WriteStartObject(name);
        json.WriteNumber("msgs", messages);
        json.WriteNumber("bytes", bytes);
        json.WriteEndObject();
    }
}
