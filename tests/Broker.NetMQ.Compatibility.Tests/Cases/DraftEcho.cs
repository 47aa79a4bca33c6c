using System.Globalization;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQCases;

/// <summary>
/// Answers on draft sockets, for a test with the sockets of the other library. The first line of its output has the
/// ports of SERVER, RADIO, GATHER, SCATTER and PEER. It ends when its input ends.
/// </summary>
internal static class DraftEcho
{
    internal static void Run()
    {
        using var server = new ServerSocket();
        using var radio = new RadioSocket();
        using var gather = new GatherSocket();
        using var scatter = new ScatterSocket();
        using var peer = new PeerSocket();
        int[] ports =
        [
            server.BindRandomPort("tcp://127.0.0.1"),
            radio.BindRandomPort("tcp://127.0.0.1"),
            gather.BindRandomPort("tcp://127.0.0.1"),
            scatter.BindRandomPort("tcp://127.0.0.1"),
            peer.BindRandomPort("tcp://127.0.0.1"),
        ];
        Console.WriteLine(string.Join(' ', ports.Select(port => port.ToString(CultureInfo.InvariantCulture))));
        Start(() =>
        {
            (uint id, string text) = server.ReceiveString();
            server.Send(id, "answer to " + text);
            radio.Send("gg", "not wanted");
            radio.Send("g", text);
        });
        Start(() => scatter.Send("gathered " + gather.ReceiveString()));
        Start(() => peer.SendMultipartMessage(peer.ReceiveMultipartMessage()));
        while (Console.ReadLine() is not null)
        {
        }

        // The threads wait in the sockets, whose disposal would have to wait for them.
        Console.Out.Flush();
        Environment.Exit(0);
    }

    private static void Start(Action repeated)
    {
        var thread = new Thread(() =>
        {
            while (true)
            {
                repeated();
            }
        })
        {
            IsBackground = true,
        };
        thread.Start();
    }
}
