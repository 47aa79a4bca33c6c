using System.Text;
using Broker.Cli.Shell;

namespace Broker.Cli.Tests.Shell;

public sealed class BodyTextTests
{
    [Theory]
    [InlineData("4 degrees", "4 degrees")]
    [InlineData("größer 🙂", "größer 🙂")]
    [InlineData("a\nb\r\tc", "a\\nb\\r\\tc")]
    [InlineData("\u001b[31mred", "\\x1b[31mred")]
    [InlineData("\u0085\u200e\u2028", "\\xc2\\x85\\xe2\\x80\\x8e\\xe2\\x80\\xa8")]
    [InlineData("", "")]
    public void Text_stays_text_and_what_a_terminal_would_obey_is_escaped(string body, string shown)
        => Assert.Equal(shown, BodyText.Show(Encoding.UTF8.GetBytes(body)));

    [Fact]
    public void What_is_no_text_is_escaped_byte_by_byte_and_nothing_of_it_is_left_out()
        => Assert.Equal("a\\xff\\xc3(b\\xe2\\x82", BodyText.Show([(byte)'a', 0xFF, 0xC3, (byte)'(', (byte)'b', 0xE2, 0x82]));

    [Fact]
    public void A_template_is_filled_once()
        => Assert.Equal(
            "a.b said {body}{number} as 7 {other} {",
            Encoding.UTF8.GetString(new BodyTemplate("{subject} said {body} as {number} {other} {").Fill("{body}{number}"u8, "a.b", 7)));

    [Theory]
    [InlineData("a\nb\n", "a", "b")]
    [InlineData("a\r\n\r\nb", "a", "", "b")]
    [InlineData("")]
    [InlineData("\n", "")]
    public async Task Lines_of_standard_input_have_no_ends(string input, params string[] lines)
    {
        foreach (int piece in (int[])[1, 2, 64])
        {
            var read = new List<string>();
            await foreach (ReadOnlyMemory<byte> line in StandardInput.ReadLinesAsync(new SlowStream(Encoding.UTF8.GetBytes(input), piece), TestContext.Current.CancellationToken))
            {
                read.Add(Encoding.UTF8.GetString(line.Span));
            }

            Assert.Equal(lines, read);
        }
    }

    [Fact]
    public async Task A_line_longer_than_the_buffer_stays_whole()
    {
        string line = new('x', 200_000);
        await foreach (ReadOnlyMemory<byte> read in StandardInput.ReadLinesAsync(new MemoryStream(Encoding.UTF8.GetBytes(line + "\n")), TestContext.Current.CancellationToken))
        {
            Assert.Equal(line, Encoding.UTF8.GetString(read.Span));
        }
    }

    private sealed class SlowStream(byte[] bytes, int piece) : MemoryStream(bytes)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
            => base.ReadAsync(buffer[..Math.Min(piece, buffer.Length)], cancellationToken);
    }
}
