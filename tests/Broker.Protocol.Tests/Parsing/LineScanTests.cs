using System.Runtime.InteropServices;
using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>Compares the scan of a line with a simple implementation.</summary>
public sealed class LineScanTests
{
    private const int Lines = 1_000_000;

    [Fact]
    public void The_scan_agrees_with_a_simple_implementation()
    {
        using var memory = new GuardedMemory(4096);
        var random = new Random(Seed.Next());
        Span<byte> buffer = stackalloc byte[200];
        for (int i = 0; i < Lines; i++)
        {
            Span<byte> line = buffer[..random.Next(4, buffer.Length)];
            Fill(line, random);
            int offset = random.Next(4, 7);
            offset = Math.Min(offset, line.Length);
            int limit = random.Next(4) == 0 ? random.Next(80) : 150;
            ReadOnlySpan<byte> placed = memory.Place(line, default);
            var scan = default(LineScan);
            ScanStatus status = scan.Scan(ref MemoryMarshal.GetReference(placed), offset, placed.Length, limit);
            Compare(Text.Of(placed), offset, limit, status, scan);
        }
    }

    private static void Fill(Span<byte> line, Random random)
    {
        int separators = random.Next(4);
        for (int i = 0; i < line.Length; i++)
        {
            line[i] = random.Next(8 << separators) switch
            {
                0 => (byte)' ',
                1 => random.Next(20) == 0 ? (byte)'\t' : (byte)' ',
                2 when random.Next(40) == 0 => (byte)'\r',
                3 when random.Next(40) == 0 => (byte)random.Next(256),
                _ => (byte)random.Next('!', 127),
            };
        }

        int end = random.Next(4, line.Length + 20);
        if (end < line.Length)
        {
            line[end] = (byte)'\n';
            if (random.Next(4) != 0)
            {
                line[end - 1] = (byte)'\r';
            }
        }
    }

    private static void Compare(string text, int offset, int limit, ScanStatus status, in LineScan scan)
    {
        string rest = text[offset..];
        int feed = rest.IndexOf('\n', StringComparison.Ordinal);
        if (feed < 0)
        {
            Assert.Equal(rest.Length >= limit + 2 ? ScanStatus.TooLong : ScanStatus.Incomplete, status);
            return;
        }

        bool carriageReturn = feed > 0 && rest[feed - 1] == '\r';
        string line = rest[..(carriageReturn ? feed - 1 : feed)];
        if (line.Length > limit)
        {
            Assert.Equal(ScanStatus.TooLong, status);
            return;
        }

        Assert.Equal(line.Contains('\r', StringComparison.Ordinal) ? ScanStatus.StrayReturn : ScanStatus.Complete, status);
        Assert.Equal(offset + feed + 1, scan.LineLength);
        string[] arguments = line.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(Math.Min(arguments.Length, LineScan.MaxArguments + 1), scan.Count);
        if (scan.Count > LineScan.MaxArguments)
        {
            return;
        }

        Assert.Equal(carriageReturn && string.Join(' ', arguments) == line, scan.IsCanonical);
        for (int i = 0; i < arguments.Length; i++)
        {
            Assert.Equal(arguments[i], text[scan.Start(i)..scan.End(i)]);
            Assert.Equal(arguments[i].Length, scan.Length(i));
        }
    }
}
