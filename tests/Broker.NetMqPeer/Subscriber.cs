using System.Globalization;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMqPeer;

/// <summary>Prints what it receives.</summary>
internal static class Subscriber
{
    public static void Run(string address, string how, string topic, int count)
    {
        int received = 0;
        using (var socket = new SubscriberSocket())
        {
            socket.Subscribe(Words.Decode(topic));
            Words.Meet(socket, address, how);
            Console.WriteLine("READY");
            while (count == 0 || received < count)
            {
                Console.WriteLine("MSG " + string.Join(' ', socket.ReceiveMultipartBytes().Select(Words.Encode)));
                received++;
            }
        }

        NetMQConfig.Cleanup();
        Console.WriteLine("DONE " + received.ToString(CultureInfo.InvariantCulture));
    }
}
