using System.Security.Cryptography;
using System.Text;

namespace Broker.Bridge.Pipelines;

/// <summary>The subjects of a pipeline; docs/push-pull.md describes them.</summary>
internal sealed class PipelineSubjects(string subject)
{
    /// <summary>What ids have at most, in characters.</summary>
    internal const int LongestId = 64;

    // The longest token that is added, and two dots.
    internal const int LongestSuffix = LongestId + 32;

    private readonly string _subject = subject;

    /// <summary>Where egresses announce themselves.</summary>
    internal string Egresses => _subject + "._egress";

    /// <summary>Where ingresses ask egresses to announce themselves.</summary>
    internal string Ingresses => _subject + "._ingress";

    /// <summary>Where an egress gets messages.</summary>
    internal string Out(string egress) => $"{_subject}._out.{egress}";

    /// <summary>What comes before the link's name in the subject where an ingress gets acknowledgements.</summary>
    internal string InPrefix => _subject + "._in.";

    /// <summary>Where an ingress gets acknowledgements of all its links.</summary>
    internal string In(string ingress) => $"{_subject}._in.{ingress}.*";

    /// <summary>A name that no other ingress or egress has.</summary>
    internal static string NewId() => Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(6));

    /// <summary>Whether a peer's name of one token, or of two where that is allowed, may become a part of a subject.</summary>
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
