using System.Text.Json.Nodes;

namespace Broker.ZeroMq.Tests.Foreign;

/// <summary>
/// One socket of a <see cref="ForeignHost"/>. Frames have the notation of <see cref="Frame(byte[])"/>.
/// </summary>
internal sealed class ForeignSocket(ForeignHost host, string name)
{
    private const int Short = 1024;

    // In milliseconds: a message that does not arrive within this time counts as missing.
    private const int VeryLong = 120_000;

    public static JsonNode Frame(byte[] frame)
        => frame.Length <= Short ? Convert.ToHexStringLower(frame) : new JsonArray(frame.Length, frame[0]);

    public async Task<string> BindAsync(string endpoint) => (string)(await CallAsync("bind", ("endpoint", endpoint)))["endpoint"]!;

    public Task ConnectAsync(string endpoint) => CallAsync("connect", ("endpoint", endpoint));

    public Task DisconnectAsync(string endpoint) => CallAsync("disconnect", ("endpoint", endpoint));

    public Task SetAsync(string option, JsonNode value) => CallAsync("option", ("option", option), ("value", value));

    public Task SubscribeAsync(params byte[] prefix) => SetAsync("SUBSCRIBE", new JsonArray(Convert.ToHexStringLower(prefix)));

    public Task UnsubscribeAsync(params byte[] prefix) => SetAsync("UNSUBSCRIBE", new JsonArray(Convert.ToHexStringLower(prefix)));

    /// <summary>Sends frames. Returns false if the call would block for longer than the timeout.</summary>
    public Task<bool> SendAsync(byte[][] frames, int timeout = VeryLong) => SendAsync(Show(frames), timeout);

    /// <summary>Sends a message as <see cref="ReceiveAsync"/> returned it.</summary>
    public async Task<bool> SendAsync(JsonArray frames, int timeout = VeryLong)
        => (await CallAsync("send", ("frames", frames), ("timeout", timeout)))["refused"] is null;

    /// <summary>The next message in the notation of <see cref="Show"/>; null if none arrives in time.</summary>
    public async Task<string?> ReceiveAsync(int timeout = VeryLong)
        => Expected((await CallAsync("receive", ("timeout", timeout)))["frames"]?.ToJsonString(), timeout);

    public Task MonitorAsync() => CallAsync("monitor");

    /// <summary>
    /// Waits for an event of the socket's monitor and returns its value; null if it does not arrive in time.
    /// </summary>
    public async Task<int?> EventAsync(string kind, int timeout = VeryLong)
        => Expected((int?)(await CallAsync("event", ("event", kind), ("timeout", timeout)))["value"], timeout);

    /// <summary>
    /// Receives a message of one frame and returns a property of the peer that sent it. Only with libzmq.
    /// </summary>
    public async Task<string?> PropertyAsync(string property) => (string?)(await CallAsync("property", ("property", property)))["value"];

    /// <summary>
    /// Sends messages that begin with the numbers from 0, and returns how many the socket took. Only with NetMQ.
    /// </summary>
    public async Task<int> SendNumbersAsync(int count, int size)
        => (int)(await CallAsync("send_numbers", ("count", count), ("size", size), ("timeout", VeryLong)))["value"]!;

    /// <summary>
    /// Receives messages, and returns how many began with the numbers from 0 in order. Only with NetMQ.
    /// </summary>
    public async Task<int> ReceiveNumbersAsync(int count)
        => (int)(await CallAsync("receive_numbers", ("count", count), ("timeout", VeryLong)))["value"]!;

    /// <summary>The number of connections. Only with the sockets of this library.</summary>
    public async Task<int> PeersAsync() => (int)(await CallAsync("peers"))["value"]!;

    public async Task CloseAsync()
    {
        await CallAsync("close");
        host.Forget(name);
    }

    public static JsonArray Show(params byte[][] frames) => new([.. frames.Select(Frame)]);

    // If one call hangs, the tests after it must not wait as long.
    private T? Expected<T>(T? outcome, int timeout)
    {
        if (outcome is null && timeout >= VeryLong)
        {
            host.GiveUp();
        }

        return outcome;
    }

    private Task<JsonNode> CallAsync(string operation, params (string Name, JsonNode Value)[] arguments)
    {
        var all = new JsonObject(arguments.Select(a => KeyValuePair.Create<string, JsonNode?>(a.Name, a.Value))) { ["name"] = name };
        return host.CallAsync(operation, all);
    }
}
