using System.Buffers.Text;

namespace Broker.Client;

/// <summary>
/// The last token of a reply subject: the secret of the request, then its number. A service that has seen the reply
/// subject of one request must not be able to answer another request, so the number alone is not enough.
/// </summary>
internal static class RequestToken
{
    /// <summary>The length of the longest token.</summary>
    internal const int MaxLength = SecretLength + MaxNumberLength;

    private const int SecretLength = 11;
    private const int MaxNumberLength = 20;
    private const int BitsOfCharacter = 6;

    private static ReadOnlySpan<byte> Alphabet => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"u8;

    /// <summary>Writes a token of at most <see cref="MaxLength"/> bytes. Returns its length.</summary>
    internal static int Write(Span<byte> destination, ulong secret, long number)
    {
        Span<byte> characters = destination[..SecretLength];
        for (int i = 0; i < characters.Length; i++)
        {
            characters[i] = Alphabet[(int)secret & (Alphabet.Length - 1)];
            secret >>= BitsOfCharacter;
        }

        Utf8Formatter.TryFormat(number, destination[SecretLength..], out int digits);
        return SecretLength + digits;
    }

    /// <summary>Reads a token. Returns false if the bytes are not a token.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> token, out ulong secret, out long number)
    {
        secret = 0;
        number = 0;
        if (token.Length <= SecretLength)
        {
            return false;
        }

        for (int i = SecretLength - 1; i >= 0; i--)
        {
            int value = ValueOf(token[i]);
            if (value < 0)
            {
                return false;
            }

            secret = (secret << BitsOfCharacter) | (uint)value;
        }

        ReadOnlySpan<byte> digits = token[SecretLength..];
        return Utf8Parser.TryParse(digits, out number, out int read) && read == digits.Length;
    }

    private static int ValueOf(byte character) => character switch
    {
        >= (byte)'A' and <= (byte)'Z' => character - 'A',
        >= (byte)'a' and <= (byte)'z' => character - 'a' + 26,
        >= (byte)'0' and <= (byte)'9' => character - '0' + 52,
        (byte)'-' => 62,
        (byte)'_' => 63,
        _ => -1,
    };
}
