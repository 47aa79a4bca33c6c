using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>The file that makes a directory a store. It has the format version and never changes.</summary>
internal static class StoreIdentity
{
    internal const string FileName = "broker-store";
    internal const uint Version = 1;
    internal const int Length = 20;

    private const int VersionAt = 12;
    private const int CheckAt = 16;

    private static ReadOnlySpan<byte> Magic => "broker store"u8;

    internal static void Write(Span<byte> bytes)
    {
        Magic.CopyTo(bytes);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[VersionAt..], Version);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[CheckAt..], Checksum.Of(0, bytes[..CheckAt]));
    }

    /// <summary>Whether the file is as this or another version has written it.</summary>
    internal static bool IsWhole(ReadOnlySpan<byte> bytes)
        => bytes.Length == Length && bytes.StartsWith(Magic)
            && BinaryPrimitives.ReadUInt32LittleEndian(bytes[CheckAt..]) == Checksum.Of(0, bytes[..CheckAt]);

    /// <exception cref="StoreException">The file is damaged, or its version is not known.</exception>
    internal static void Check(ReadOnlySpan<byte> bytes, string location)
    {
        if (!IsWhole(bytes))
        {
            throw new StoreException($"The file '{FileName}' of the store '{location}' is damaged: it must have {Length} bytes with a right checksum.");
        }

        uint version = BinaryPrimitives.ReadUInt32LittleEndian(bytes[VersionAt..]);
        if (version != Version)
        {
            throw new StoreException($"The store '{location}' has format version {version}. This program reads version {Version}.");
        }
    }
}
