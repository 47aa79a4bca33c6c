using System.Globalization;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMqPeer;

/// <summary>
/// Pushes numbers and pulls them, while the test kills the bridge between. It prints <c>now</c> when a sixth and when
/// half of the messages have come, and continues to push behind each third when a line has come. At the end it prints
/// how many messages have come, and how many of them not after all before.
/// </summary>
internal static class PushAndPull
{
    public static void Run(string pushers, string pullers, int messages, int size)
    {
        using var pull = new PullSocket();
        pull.Options.ReceiveHighWatermark = 0;
        pull.Connect(pullers);
        var pushing = new Thread(() => Push(pushers, messages, size)) { IsBackground = true };
        pushing.Start();
        var marks = new Queue<int>([messages / 6, messages / 2]);
        (int last, int got, int disorder) = (-1, 0, 0);
        while (last < messages - 1)
        {
            int number = int.Parse(pull.ReceiveMultipartBytes()[0], CultureInfo.InvariantCulture);
            disorder += number <= last ? 1 : 0;
            last = number;
            got++;
            while (marks.TryPeek(out int mark) && last >= mark)
            {
                marks.Dequeue();
                Console.WriteLine("now");
            }
        }

        Console.WriteLine($"{got} {disorder}");
    }

    private static void Push(string pushers, int messages, int size)
    {
        // It stays open until the process ends: NetMQ's close loses what has not arrived.
        var push = new PushSocket();
        push.Options.SendHighWatermark = 10;
        push.Connect(pushers);
        byte[] pad = new byte[size];
        for (int i = 0; i < messages; i++)
        {
            if (i == messages / 3 || i == messages * 2 / 3)
            {
                Console.ReadLine();
            }

            push.SendMoreFrame(i.ToString(CultureInfo.InvariantCulture)).SendFrame(pad);
        }
    }
}
