using System.Text;
using System.Text.Json.Nodes;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.Bridge.Tests.Requests.Support;

/// <summary>Sends and receives texts with libzmq programs.</summary>
internal static class ForeignText
{
    // Only ends a test that hangs.
    private const int Milliseconds = 60_000;

    public static async Task SendTextAsync(this ForeignSocket socket, params string[] frames)
        => Assert.True(await socket.SendAsync([.. frames.Select(Encoding.Latin1.GetBytes)], Milliseconds), "the program could not send");

    /// <summary>Receives a message and joins its frames with bars.</summary>
    public static async Task<string> ReceiveTextAsync(this ForeignSocket socket)
    {
        string? frames = await socket.TryReceiveTextAsync(Milliseconds);
        Assert.NotNull(frames);
        return frames;
    }

    /// <summary>Receives a message like the other overload, but returns null if none arrives in time.</summary>
    public static async Task<string?> TryReceiveTextAsync(this ForeignSocket socket, int milliseconds)
        => await socket.ReceiveAsync(milliseconds) is { } frames
            ? string.Join('|', JsonNode.Parse(frames)!.AsArray().Select(frame => Encoding.Latin1.GetString(Bytes(frame!))))
            : null;

    /// <summary>Waits for a request, and replies with a word and the same frames.</summary>
    public static async Task<string> ServeAsync(this ForeignSocket worker, string word)
    {
        string request = await worker.ReceiveTextAsync();
        await worker.SendTextAsync([word, .. request.Split('|')]);
        return request;
    }

    public static async Task<string> AskAsync(this ForeignSocket client, params string[] frames)
    {
        await client.SendTextAsync(frames);
        return await client.ReceiveTextAsync();
    }

    private static byte[] Bytes(JsonNode frame)
    {
        if (frame is not JsonArray filled)
        {
            return Convert.FromHexString((string)frame!);
        }

        byte[] bytes = new byte[(int)filled[0]!];
        bytes.AsSpan().Fill((byte)(int)filled[1]!);
        return bytes;
    }
}
