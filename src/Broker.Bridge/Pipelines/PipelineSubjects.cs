using System.Buffers.Binary;
using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;

namespace Broker.Bridge;

/// <summary>The subjects of a pipeline; docs/push-pull.md describes them.</summary>
internal sealed class PipelineSubjects(string subject)
{
    /// <summary>The largest length of an id, in characters.</summary>
    internal const int LongestId = 64;

    // 96 bits, in 16 characters.
    private const int IdBytes = 12;

    private readonly string _subject = subject;

    /// <summary>The filters of all subjects that only the ends of the pipeline use.</summary>
    internal IReadOnlyList<string> Internal => [Egresses, Ingresses, Out(">"), InPrefix + ">"];

    /// <summary>The subject for the announcements of egresses.</summary>
    internal string Egresses => _subject + "._egress";

    /// <summary>The subject on which ingresses ask egresses for announcements.</summary>
    internal string Ingresses => _subject + "._ingress";

    /// <summary>The subject for messages to an egress.</summary>
    internal string Out(string egress) => $"{_subject}._out.{egress}";

    /// <summary>The prefix of the subjects for acknowledgements to an ingress; the name of the link follows.</summary>
    internal string InPrefix => _subject + "._in.";

    /// <summary>The filter for the acknowledgements to all links of an ingress.</summary>
    internal string In(string ingress) => $"{_subject}._in.{ingress}.*";

    /// <summary>Returns a new random name for an ingress or an egress. Nobody can guess the name.</summary>
    internal static string NewId() => Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(IdBytes));

    /// <summary>
    /// Returns a new random number for a link. Nobody can guess the number, so only a program that has received a
    /// message of the link can answer.
    /// </summary>
    internal static long NewLinkNumber()
        => BinaryPrimitives.ReadInt64LittleEndian(RandomNumberGenerator.GetBytes(sizeof(long))) & long.MaxValue;

    /// <summary>
    /// Returns whether a peer's name is valid as a part of a subject and has this number of tokens, 1 or 2.
    /// </summary>
    internal static bool IsId(ReadOnlySpan<byte> id, int tokens)
    {
        if (id.Length is 0 or > LongestId)
        {
            return false;
        }

        int dots = 0;
        byte last = (byte)'.';
        foreach (byte c in id)
        {
            bool isDot = c == '.';
            if (isDot ? last == '.' : !char.IsAsciiLetterOrDigit((char)c) && c is not ((byte)'_' or (byte)'-'))
            {
                return false;
            }

            dots += isDot ? 1 : 0;
            last = c;
        }

        return last != '.' && dots == tokens - 1;
    }

    internal static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);
}
