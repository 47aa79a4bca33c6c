using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Broker.LoadTest.Driver;

/// <summary>
/// Numbered messages that pass over a leaf link behind other things. When one has arrived, everything before it has
/// arrived too, because a link keeps the order.
/// </summary>
internal sealed class LinkMarker(RawConnection publisher, RawConnection reader)
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly Lock _lock = new();
    private readonly string _name = Guid.NewGuid().ToString("N");
    private int _sid;
    private int _number;

    /// <summary>
    /// Waits until the publishers' server knows the subscriptions that the readers' server has confirmed, by a
    /// subscription that is announced after them. Throws if it does not learn of them.
    /// </summary>
    public void AwaitInterest()
    {
        _sid++;
        reader.Send(Frames.Subscribe(Subject, null, _sid));
        reader.Fence();
        long from = Stopwatch.GetTimestamp();
        do
        {
            Publish(publisher);
            publisher.Fence();
            if (Stopwatch.GetElapsedTime(from) > WaitLimit)
            {
                throw new DriverException("No message arrives at the other end of the leaf link.");
            }
        }
        while (!HasArrived(Pause));

        // Earlier messages without interest are lost, the others arrive before this one.
        Follow(publisher);
    }

    /// <summary>Waits until a message behind all others of this connection has arrived. Thread-safe.</summary>
    public void Follow(RawConnection connection)
    {
        lock (_lock)
        {
            Publish(connection);
            string last = Number;
            while (ReadMessage() != last)
            {
            }
        }
    }

    private string Subject => string.Create(CultureInfo.InvariantCulture, $"link.{_name}.{_sid}");

    private string Number => _number.ToString("D8", CultureInfo.InvariantCulture);

    private void Publish(RawConnection connection)
    {
        _number++;
        connection.Send(Frames.Publish(Subject, Encoding.ASCII.GetBytes(Number)));
    }

    /// <summary>Whether a message arrives within some time. A PING is no message.</summary>
    private bool HasArrived(TimeSpan limit)
    {
        while (reader.Poll(limit))
        {
            reader.NeedLine();
            if (!reader.Unread.StartsWith(Wire.Ping))
            {
                return true;
            }

            reader.ReadLine();
            reader.AnswerPing();
        }

        return false;
    }

    private string ReadMessage()
    {
        while (true)
        {
            ReadOnlySpan<byte> line = reader.ReadLine();
            if (line.SequenceEqual("PING"u8))
            {
                reader.AnswerPing();
            }
            else if (line.StartsWith(Wire.Message))
            {
                return Encoding.ASCII.GetString(reader.ReadLine());
            }
            else
            {
                throw new DriverException($"Expected a message and received '{RawConnection.Show(line)}'.");
            }
        }
    }
}
