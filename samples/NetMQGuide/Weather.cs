using System.Globalization;
using NetMQ;
using NetMQ.Sockets;

namespace NetMQGuide;

/// <summary>PUB and SUB: a subscriber takes one place of three, and stops at the end of the day.</summary>
internal static class Weather
{
    private static readonly string[] Places = ["bergen", "lima", "oslo"];

    internal static void Run(TextWriter output)
    {
        // An XPUB sees the subscriptions, so that no message is published before them.
        using var publisher = new XPublisherSocket("@inproc://weather");
        using var subscriber = new SubscriberSocket(">inproc://weather");
        subscriber.Subscribe("oslo");
        subscriber.Subscribe("end");
        output.WriteLine($"subscription {publisher.ReceiveFrameString()[1..]}");
        output.WriteLine($"subscription {publisher.ReceiveFrameString()[1..]}");
        for (int hour = 0; hour < 24; hour++)
        {
            foreach (string place in Places)
            {
                string degrees = (place.Length + (hour % 12)).ToString(CultureInfo.InvariantCulture);
                publisher.SendMoreFrame(place).SendFrame(degrees);
            }
        }

        publisher.SendFrame("end");
        int count = 0;
        int sum = 0;
        while (true)
        {
            NetMQMessage message = subscriber.ReceiveMultipartMessage();
            if (message.FrameCount == 1)
            {
                break;
            }

            sum += int.Parse(message[1].ConvertToString(), CultureInfo.InvariantCulture);
            count++;
        }

        output.WriteLine($"{count} readings, {sum / count} degrees on average");
    }
}
