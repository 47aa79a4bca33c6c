using System.Text;

namespace Broker.Bridge.Tests.Mapping;

/// <summary>A second, slow implementation of the subject rules, as the reference for tests.</summary>
internal static class Subjects
{
    public static bool Matches(string filter, string subject)
    {
        string[] f = filter.Split('.');
        string[] s = subject.Split('.');
        for (int i = 0; i < f.Length; i++)
        {
            if (f[i] == ">")
            {
                return i == f.Length - 1 && s.Length > i;
            }

            if (i >= s.Length || (f[i] != "*" && f[i] != s[i]))
            {
                return false;
            }
        }

        return s.Length == f.Length;
    }

    public static bool IsLiteral(ReadOnlySpan<byte> subject)
    {
        foreach (byte b in subject)
        {
            if (b is <= 0x20 or >= 0x7F)
            {
                return false;
            }
        }

        foreach (string token in Encoding.ASCII.GetString(subject).Split('.'))
        {
            if (token is "" or "*" or ">")
            {
                return false;
            }
        }

        return true;
    }
}
