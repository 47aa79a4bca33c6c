using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMqPeer;

/// <summary>
/// A worker that prints each request and answers it after a line, and two clients. The test kills the bridge while the
/// worker has the request of the first client, so the first client asks again with a new socket.
/// </summary>
internal static class RequestAndReply
{
    public static void Run(string clients, string workers)
    {
        using var answers = new SemaphoreSlim(0);
        var serving = new Thread(() => Serve(workers, answers)) { IsBackground = true };
        serving.Start();
        var first = new RequestSocket();
        using var second = new RequestSocket();
        first.Connect(clients);
        first.SendFrame("1");
        Console.ReadLine();
        second.Connect(clients);
        second.SendFrame("2");
        answers.Release();
        Console.ReadLine();
        answers.Release();
        Console.WriteLine($"{second.ReceiveFrameString()} {(first.HasIn ? 1 : 0)}");
        first.Dispose();
        first = new RequestSocket();
        first.Connect(clients);
        first.SendFrame("1");
        Console.ReadLine();
        answers.Release();
        Console.WriteLine(first.ReceiveFrameString());
        first.Dispose();
    }

    private static void Serve(string workers, SemaphoreSlim answers)
    {
        using var rep = new ResponseSocket();
        rep.Connect(workers);
        while (true)
        {
            string body = rep.ReceiveFrameString();
            Console.WriteLine("has " + body);
            answers.Wait();
            rep.SendFrame("done " + body);
        }
    }
}
