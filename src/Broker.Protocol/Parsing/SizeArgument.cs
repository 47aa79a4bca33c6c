using System.Runtime.CompilerServices;

namespace Broker.Protocol;

/// <summary>Parses the sizes and counts of control lines. A size or count consists of decimal digits only.</summary>
internal static class SizeArgument
{
    internal const int Invalid = -1;

    /// <summary>The argument is a number that is larger than any limit.</summary>
    internal const int Huge = int.MaxValue;

    // Nine digits always fit an int.
    private const int MaxDigits = 9;

    /// <summary>Returns the value, <see cref="Invalid"/>, or <see cref="Huge"/> for more than nine digits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Parse(ref byte at, int length)
    {
        if ((uint)(length - 1) >= MaxDigits)
        {
            return ParseLong(ref at, length);
        }

        int value = 0;
        for (int i = 0; i < length; i++)
        {
            uint digit = (uint)Unsafe.Add(ref at, i) - '0';
            if (digit > 9)
            {
                return Invalid;
            }

            value = (value * 10) + (int)digit;
        }

        return value;
    }

    private static int ParseLong(ref byte at, int length)
    {
        for (int i = 0; i < length; i++)
        {
            if (!char.IsAsciiDigit((char)Unsafe.Add(ref at, i)))
            {
                return Invalid;
            }
        }

        return length == 0 ? Invalid : Huge;
    }
}
