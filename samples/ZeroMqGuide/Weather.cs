using System.Globalization;
using Broker.ZeroMq;

namespace ZeroMqGuide;

/// <summary>A publisher of weather readings of many places, and a subscriber to the readings of one place.</summary>
public static class Weather
{
    /// <summary>Publishes "place temperature humidity" until it is cancelled.</summary>
    public static void Publish(PublisherSocket publisher, CancellationToken cancellation)
    {
        var random = new Random();
        while (!cancellation.IsCancellationRequested)
        {
            for (int place = 10_000; place < 10_100; place++)
            {
                publisher.Send(string.Create(
                    CultureInfo.InvariantCulture, $"{place} {random.Next(-80, 135)} {random.Next(10, 60)}"));
            }

            Thread.Sleep(1);
        }
    }

    /// <summary>Writes the average temperature of one place over a number of updates.</summary>
    public static void Average(SubscriberSocket subscriber, string place, int updates, TextWriter output)
    {
        subscriber.Subscribe(place + " ");
        long sum = 0;
        for (int i = 0; i < updates; i++)
        {
            sum += int.Parse(subscriber.ReceiveString().Split(' ')[1], CultureInfo.InvariantCulture);
        }

        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"average temperature for {place}: {sum / updates} F"));
    }
}
