using System.Buffers;
using System.Globalization;
using Broker.Protocol;

namespace Broker.Cli.Bench;

/// <summary>Collects the replies to the requests of one read, which leave together.</summary>
internal readonly struct RawResponder(RawLink link, ArrayBufferWriter<byte> replies, RawErrors errors, TaskCompletionSource subscribed) : IRawHandler
{
    public bool OnMessage(in MessageOperation operation)
    {
        WritePublish(replies, operation.ReplyTo, default, operation.Body);
        return true;
    }

    /// <summary>Writes a PUB.</summary>
    public static void WritePublish(ArrayBufferWriter<byte> into, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> body)
    {
        into.Write("PUB "u8);
        into.Write(subject);
        into.Write(" "u8);
        if (!replyTo.IsEmpty)
        {
            into.Write(replyTo);
            into.Write(" "u8);
        }

        body.Length.TryFormat(into.GetSpan(16), out int digits, default, CultureInfo.InvariantCulture);
        into.Advance(digits);
        into.Write("\r\n"u8);
        into.Write(body);
        into.Write("\r\n"u8);
    }

    /// <summary>Sends the collected replies.</summary>
    public void Send()
    {
        if (replies.WrittenCount > 0)
        {
            link.Send(replies.WrittenSpan);
            replies.ResetWrittenCount();
        }
    }

    public void OnEqual(int messages)
    {
    }

    public int TakeEqual() => 0;

    public bool OnInfo(ReadOnlySpan<byte> json) => true;

    public bool OnPing()
    {
        link.AnswerPing();
        return true;
    }

    public bool OnPong()
    {
        subscribed.TrySetResult();
        return true;
    }

    public bool OnOk() => true;

    public bool OnError(ReadOnlySpan<byte> text)
    {
        errors.Refuse(text);
        return true;
    }
}
