using System.Globalization;

namespace Broker.Streams;

/// <summary>The names of the files of a store, and how whole files are read and replaced.</summary>
internal static class StoreFileNames
{
    internal const string Lock = "lock";
    internal const string Temporary = ".tmp";
    internal const string SegmentEnd = ".log";
    internal const string IndexEnd = ".idx";

    private const string Digits = "D16";

    internal static string Segment(ulong number) => number.ToString(Digits, CultureInfo.InvariantCulture) + SegmentEnd;

    internal static string Index(ulong number) => number.ToString(Digits, CultureInfo.InvariantCulture) + IndexEnd;

    internal static bool TryParse(string name, string end, out ulong number)
    {
        number = 0;
        return name.EndsWith(end, StringComparison.Ordinal)
            && ulong.TryParse(name.AsSpan(0, name.Length - end.Length), NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }

    internal static byte[] ReadAll(this IStoreFile file)
    {
        byte[] bytes = new byte[checked((int)file.Length)];
        int read = file.Read(bytes, 0);
        return read == bytes.Length ? bytes : bytes[..read];
    }

    internal static byte[] ReadAll(this IStoreFiles files, string name)
    {
        using IStoreFile file = files.Open(name);
        return file.ReadAll();
    }

    /// <summary>Writes a small file so that after a crash either all or nothing of it is there.</summary>
    internal static void Replace(this IStoreFiles files, string name, ReadOnlySpan<byte> bytes)
    {
        string temporary = name + Temporary;
        if (files.List().Contains(temporary, StringComparer.Ordinal))
        {
            files.Delete(temporary);
        }

        using (IStoreFile file = files.Create(temporary))
        {
            file.Write(bytes, 0);
            file.Sync();
        }

        files.Rename(temporary, name);
        files.SyncDirectory();
    }
}
