using System.Globalization;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMqPeer;

/// <summary>Publishes the messages that its lines describe.</summary>
internal static class Publisher
{
    public static void Run(string address, string how)
    {
        int sent = 0;
        using (var socket = new PublisherSocket())
        {
            socket.Options.Linger = TimeSpan.FromSeconds(2);
            Words.Meet(socket, address, how);
            Console.WriteLine("READY");
            while (Console.ReadLine() is { } line)
            {
                socket.SendMultipartBytes(line.Split(' ').Select(Words.Decode));
                sent++;
            }
        }

        NetMQConfig.Cleanup();
        Console.WriteLine("DONE " + sent.ToString(CultureInfo.InvariantCulture));
    }
}
