using System.Net;
using System.Net.Sockets;

namespace Broker.ZeroMqLoad.Ends;

/// <summary>Idle subscribers. Each is a system socket that speaks ZMTP 3.1 by itself.</summary>
internal static class Crowd
{
    private const int GreetingSize = 64;
    private const byte Command = 4;

    private static readonly byte[] Greeting = MakeGreeting();
    private static readonly byte[] Ready = [Command, 25, 5, .. "READY"u8, 11, .. "Socket-Type"u8, 0, 0, 0, 3, .. "SUB"u8];
    private static readonly byte[] Subscribe = [Command, 11, 9, .. "SUBSCRIBE"u8, (byte)'x'];
    private static readonly byte[] Ping = [Command, 7, 4, .. "PING"u8, 0, 0];
    private static readonly byte[] Pong = [Command, 5, 4, .. "PONG"u8];

    /// <summary>
    /// Prints "measuring" when the other side has processed all subscriptions, and keeps the connections until the
    /// input ends.
    /// </summary>
    public static async Task StayAsync(string endpoint, int peers)
    {
        var address = new Uri(endpoint);
        var target = new IPEndPoint(IPAddress.Parse(address.Host), address.Port);
        var members = new List<Task>(peers);
        for (int i = 0; i < peers; i++)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(target).ConfigureAwait(false);
            var subscribed = new TaskCompletionSource();
            _ = BeAsync(socket, subscribed);
            members.Add(subscribed.Task);
        }

        await Task.WhenAll(members).ConfigureAwait(false);
        Console.WriteLine("measuring");
        await Console.In.ReadToEndAsync().ConfigureAwait(false);
    }

    private static async Task BeAsync(Socket socket, TaskCompletionSource subscribed)
    {
        try
        {
            using var stream = new NetworkStream(socket, ownsSocket: true);

            // When the other side has answered the PING, it has read everything before it.
            await stream.WriteAsync((byte[])[.. Greeting, .. Ready, .. Subscribe, .. Ping]).ConfigureAwait(false);
            byte[] frame = new byte[256];
            await stream.ReadExactlyAsync(frame.AsMemory(0, GreetingSize)).ConfigureAwait(false);
            while (true)
            {
                await stream.ReadExactlyAsync(frame.AsMemory(0, 2)).ConfigureAwait(false);
                Memory<byte> body = frame.AsMemory(0, frame[1]);
                await stream.ReadExactlyAsync(body).ConfigureAwait(false);
                if (body.Span.StartsWith(Pong.AsSpan(2)))
                {
                    subscribed.TrySetResult();
                }
                else if (body.Span.StartsWith(Ping.AsSpan(2, 5)))
                {
                    await stream.WriteAsync(Pong).ConfigureAwait(false);
                }
            }
        }
        catch (IOException e)
        {
            subscribed.TrySetException(e);
        }
    }

    private static byte[] MakeGreeting()
    {
        byte[] greeting = new byte[GreetingSize];
        greeting[0] = 0xFF;
        greeting[9] = 0x7F;
        greeting[10] = 3;
        greeting[11] = 1;
        "NULL"u8.CopyTo(greeting.AsSpan(12));
        return greeting;
    }
}
