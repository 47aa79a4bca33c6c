using System.Net.Sockets;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.PubSub.Support;

/// <summary>A ZeroMQ peer that a test writes byte by byte, to send what real sockets do not send.</summary>
internal sealed class RawPeer : IDisposable
{
    private readonly TcpClient _tcp = new() { NoDelay = true };

    private RawPeer()
    {
    }

    /// <summary>Connects and sends the greeting and READY. It does not read what the other side sends.</summary>
    public static async Task<RawPeer> ConnectAsync(string endpoint, string socketType)
    {
        var uri = new Uri(endpoint);
        var peer = new RawPeer();
        await peer._tcp.ConnectAsync(uri.Host, uri.Port, TestContext.Current.CancellationToken);
        byte[] greeting = new byte[64];
        greeting[0] = 0xFF;
        greeting[9] = 0x7F;
        greeting[10] = 3;
        greeting[11] = 1;
        "NULL"u8.CopyTo(greeting.AsSpan(12));
        byte[] type = Shapes.Bytes(socketType);
        byte[] ready = [5, .. "READY"u8, 11, .. "Socket-Type"u8, 0, 0, 0, (byte)type.Length, .. type];
        await peer.SendAsync([.. greeting, 4, (byte)ready.Length, .. ready]);
        return peer;
    }

    public static byte[] Subscription(string prefix, bool subscribe)
    {
        byte[] topic = Shapes.Bytes(prefix);
        byte[] bytes = new byte[ZmtpCommandWriter.SubscriptionSize(topic.Length, subscribe, true)];
        int length = ZmtpCommandWriter.WriteSubscription(bytes, topic, subscribe, true);
        return bytes[..length];
    }

    /// <summary>Starts to answer heartbeats and reads nothing else: a silent peer would be disconnected.</summary>
    public RawPeer AnswerHeartbeats()
    {
        _ = Task.Run(async () =>
        {
            byte[] pong = [4, 5, 4, .. "PONG"u8];
            byte[] buffer = new byte[64 * 1024];
            try
            {
                while (await _tcp.GetStream().ReadAsync(buffer) != 0)
                {
                    await _tcp.GetStream().WriteAsync(pong);
                }
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
            {
                // The test has ended.
            }
        });
        return this;
    }

    public async Task SendAsync(byte[] bytes)
        => await _tcp.GetStream().WriteAsync(bytes, TestContext.Current.CancellationToken);

    /// <summary>Reads everything until the other side closes the connection.</summary>
    public async Task<byte[]> ReadToEndAsync()
    {
        using var all = new MemoryStream();
        try
        {
            await _tcp.GetStream().CopyToAsync(all, TestContext.Current.CancellationToken).WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        }
        catch (IOException)
        {
            // The connection was reset. The bytes before count.
        }

        return all.ToArray();
    }

    public void Dispose() => _tcp.Dispose();
}
