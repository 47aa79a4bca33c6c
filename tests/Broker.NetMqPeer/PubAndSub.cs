using System.Globalization;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMqPeer;

/// <summary>
/// Publishes numbers without a pause. After each line it waits until 200 numbers from then on have passed, and prints
/// how many have come so far that were not after all before.
/// </summary>
internal static class PubAndSub
{
    private static int _number;

    public static void Run(string publishers, string subscribers)
    {
        using var sub = new SubscriberSocket();
        sub.Options.ReceiveHighWatermark = 0;
        sub.Subscribe("t");
        sub.Connect(subscribers);
        var publishing = new Thread(() => Publish(publishers)) { IsBackground = true };
        publishing.Start();
        (int last, int disorder) = (-1, 0);
        while (Console.ReadLine() is not null)
        {
            int first = Volatile.Read(ref _number);
            while (last < first + 200)
            {
                int got = int.Parse(sub.ReceiveMultipartBytes()[1], CultureInfo.InvariantCulture);
                disorder += got <= last ? 1 : 0;
                last = got;
            }

            Console.WriteLine($"flows {disorder}");
        }
    }

    private static void Publish(string publishers)
    {
        using var pub = new PublisherSocket();
        pub.Options.SendHighWatermark = 0;
        pub.Connect(publishers);
        while (true)
        {
            for (int i = 0; i < 20; i++)
            {
                int number = Volatile.Read(ref _number);
                pub.SendMoreFrame("t").SendFrame(number.ToString(CultureInfo.InvariantCulture));
                Volatile.Write(ref _number, number + 1);
            }

            Thread.Sleep(2);
        }
    }
}
