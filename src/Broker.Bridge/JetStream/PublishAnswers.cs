using Broker.Protocol.Headers;

namespace Broker.Bridge.JetStream;

/// <summary>Reads the answers.</summary>
internal static class PublishAnswers
{
    internal static PublishAnswer Read(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        // 503: nobody listens, so there is no stream for the subject. Otherwise {"stream":"S","seq":1}, or with an error.
        if (HeaderBlock.Status(headers) != 0 || body.IndexOf("\"seq\""u8) < 0 || body.IndexOf("\"error\""u8) >= 0)
        {
            return PublishAnswer.Refused;
        }

        return body.IndexOf("\"duplicate\""u8) >= 0 ? PublishAnswer.Duplicate : PublishAnswer.Stored;
    }
}
