using NetMQ;
using NetMQ.Sockets;

namespace NetMQGuide;

/// <summary>REQ and REP: a client asks, and a server on its own thread answers.</summary>
internal static class Greetings
{
    internal static void Run(TextWriter output)
    {
        using var server = new ResponseSocket();
        int port = server.BindRandomPort("tcp://127.0.0.1");
        var thread = new Thread(() =>
        {
            string name;
            while ((name = server.ReceiveFrameString()) != "")
            {
                server.SendFrame($"Hello, {name}");
            }

            server.SendFrame("bye");
        });
        thread.Start();
        using var client = new RequestSocket($">tcp://127.0.0.1:{port}");
        foreach (string name in new[] { "Ada", "Grace", "Barbara", "" })
        {
            client.SendFrame(name);
            output.WriteLine(client.ReceiveFrameString());
        }

        thread.Join();
    }
}
