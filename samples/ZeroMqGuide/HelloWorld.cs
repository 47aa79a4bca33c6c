using Broker.ZeroMq;

namespace ZeroMqGuide;

/// <summary>A server that answers each "Hello" with "World", and its client.</summary>
public static class HelloWorld
{
    public static void Serve(ResponseSocket server, int requests, TextWriter output)
    {
        for (int i = 0; i < requests; i++)
        {
            output.WriteLine($"received {server.ReceiveString()}");
            server.Send("World");
        }
    }

    public static void Ask(RequestSocket client, int requests, TextWriter output)
    {
        for (int i = 0; i < requests; i++)
        {
            client.Send("Hello");
            output.WriteLine($"reply {i}: {client.ReceiveString()}");
        }
    }
}
