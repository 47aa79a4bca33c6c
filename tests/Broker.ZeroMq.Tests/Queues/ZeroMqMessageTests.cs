using System.Text;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Queues;

public sealed class ZeroMqMessageTests
{
    [Fact]
    public void Frames_are_appended_in_order()
    {
        using var message = new ZeroMqMessage();
        message.Append("first"u8).AppendEmpty().Append("ünicode").Append(Wire.Filled(300));

        Assert.Equal(4, message.FrameCount);
        Assert.Equal("first", message.GetString(0));
        Assert.True(message[1].IsEmpty);
        Assert.Equal("ünicode", message.GetString(2));
        Assert.Equal(Wire.Filled(300), message.Last.ToArray());
    }

    [Fact]
    public void An_envelope_is_prepended_and_removed()
    {
        using var message = new ZeroMqMessage("body");

        message.Prepend([]).Prepend("id"u8);
        Assert.Equal(["id", "", "body"], message.ToArrays().Select(Encoding.UTF8.GetString));

        message.RemoveFirst().RemoveFirst().Prepend("other"u8).Append("tail"u8);
        Assert.Equal(["other", "body", "tail"], message.ToArrays().Select(Encoding.UTF8.GetString));
    }

    /// <summary>Compares a message with a list of arrays after random steps.</summary>
    [Fact]
    public void A_message_behaves_like_a_list_of_frames()
    {
        var random = new Random(Seed.Next());
        using var message = new ZeroMqMessage();
        var expected = new List<byte[]>();
        for (int step = 0; step < 5000; step++)
        {
            byte[] frame = new byte[random.Next(4) == 0 ? random.Next(1000) : random.Next(20)];
            random.NextBytes(frame);
            switch (random.Next(6))
            {
                case 0 or 1:
                    message.Append(frame);
                    expected.Add(frame);
                    break;
                case 2:
                    message.Prepend(frame);
                    expected.Insert(0, frame);
                    break;
                case 3 when expected.Count > 0:
                    message.RemoveFirst();
                    expected.RemoveAt(0);
                    break;
                case 4 when random.Next(20) == 0:
                    message.Clear();
                    expected.Clear();
                    break;
                default:
                    using (ZeroMqMessage copy = new ZeroMqMessage().CopyFrom(message))
                    {
                        Assert.Equal(expected, copy.ToArrays());
                    }

                    break;
            }

            Assert.Equal(expected.Count, message.FrameCount);
            Assert.Equal(expected.Count == 0, message.IsEmpty);
        }
    }

    [Fact]
    public void A_message_without_frames_has_no_first_and_no_last()
    {
        using var message = new ZeroMqMessage("gone");
        message.RemoveFirst();

        Assert.Throws<InvalidOperationException>(() => message.First.Length);
        Assert.Throws<InvalidOperationException>(() => message.Last.Length);
        Assert.Throws<InvalidOperationException>(() => message.RemoveFirst());
        Assert.Throws<ArgumentOutOfRangeException>(() => message[0].Length);
    }

    [Fact]
    public void A_disposed_message_is_empty_and_can_be_filled_again()
    {
        var message = new ZeroMqMessage("a", "b");

        message.Dispose();
        Assert.Equal(0, message.FrameCount);

        message.Append("again");
        Assert.Equal("again", message.GetString(0));
        message.Dispose();
    }
}
