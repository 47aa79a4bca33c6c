using System.Globalization;
using System.Text;

namespace Broker.Cli.Shell;

/// <summary>
/// A text with the placeholders <c>{body}</c>, <c>{subject}</c> and <c>{number}</c>, which <see cref="Fill"/> replaces.
/// Other braces are ordinary text.
/// </summary>
internal sealed class BodyTemplate(string text)
{
    private static ReadOnlySpan<byte> Body => "{body}"u8;

    private static ReadOnlySpan<byte> Subject => "{subject}"u8;

    private static ReadOnlySpan<byte> Number => "{number}"u8;

    private readonly byte[] _text = Encoding.UTF8.GetBytes(text);

    /// <summary>
    /// Replaces the placeholders. Inserted text is not searched for placeholders: a <c>{body}</c> in a body remains as
    /// it is.
    /// </summary>
    /// <param name="body">The message's body.</param>
    /// <param name="subject">The message's subject, or empty if it has none.</param>
    /// <param name="number">The message's number, starting at 1.</param>
    public byte[] Fill(ReadOnlySpan<byte> body, string subject, long number)
    {
        using var filled = new MemoryStream(_text.Length);
        for (ReadOnlySpan<byte> rest = _text; !rest.IsEmpty;)
        {
            int length = 1;
            if (rest.StartsWith(Body))
            {
                filled.Write(body);
                length = Body.Length;
            }
            else if (rest.StartsWith(Subject))
            {
                filled.Write(Encoding.UTF8.GetBytes(subject));
                length = Subject.Length;
            }
            else if (rest.StartsWith(Number))
            {
                filled.Write(Encoding.UTF8.GetBytes(number.ToString(CultureInfo.InvariantCulture)));
                length = Number.Length;
            }
            else
            {
                filled.WriteByte(rest[0]);
            }

            rest = rest[length..];
        }

        return filled.ToArray();
    }
}
